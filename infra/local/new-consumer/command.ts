// The entry of `npm run new-consumer -- payment-receipt --on PaymentChanged`.
import { Problem } from '../../../functions/shared/problem.ts';
import { newConsumer } from './new-consumer.ts';

const WRONG_USE = 2;

try {
  process.stdout.write(newConsumer(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof Problem)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = WRONG_USE;
}
