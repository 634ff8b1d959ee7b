// The entry of `npm run new-consumer -- payment-receipt --on PaymentChanged`.
import { Problem } from '../../../functions/shared/problem.ts';
import { onScreen } from '../terminal/terminal.ts';
import { newConsumer } from './new-consumer.ts';

const WRONG_USE = 2;

try {
  process.stdout.write(newConsumer(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof Problem)) throw error;
  console.error(onScreen(error.message, process.stderr));
  process.exitCode = WRONG_USE;
}
