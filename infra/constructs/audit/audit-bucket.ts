// The bucket of the audit copy: what is written to it can be neither changed nor removed before its time.
import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type LifecycleRule,
  ObjectLockRetention,
  ObjectOwnership,
  StorageClass,
} from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { AuditSettings } from '../../settings/audit-settings.ts';

/** An expired object is hidden behind a marker first, and removed so much later; what Object Lock holds is held all the same. */
const HIDDEN_FOR = Duration.days(30);

export class AuditBucket extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, settings: AuditSettings) {
    super(scope, id);
    this.bucket = new Bucket(this, 'Bucket', {
      objectLockEnabled: true,
      objectLockDefaultRetention: retentionOf(settings),
      // Object Lock locks versions. A second writing of a key is another version, and takes nothing from the first.
      versioned: true,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      lifecycleRules: lifecycleOf(settings),
      removalPolicy: RemovalPolicy.RETAIN,
    });
    // A bucket that outlives the stack goes on refusing what does not come over TLS.
    this.bucket.policy?.applyRemovalPolicy(RemovalPolicy.RETAIN);
    Validations.of(this.bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason:
        'Who reads and writes it is for the trail of the account to say (data events of CloudTrail); access logs would need a bucket of their own, of which the same would be asked.',
    });
  }
}

function retentionOf({ lockMode, lockDays }: AuditSettings): ObjectLockRetention {
  const duration = Duration.days(lockDays);
  return lockMode === 'compliance'
    ? ObjectLockRetention.compliance(duration)
    : ObjectLockRetention.governance(duration);
}

function lifecycleOf({ expireAfterDays, coldAfterDays }: AuditSettings): LifecycleRule[] {
  const expiry = expireAfterDays === undefined ? undefined : Duration.days(expireAfterDays);
  // Read like any other, so that verifying an old year needs no restoring first.
  const storageClass = StorageClass.GLACIER_INSTANT_RETRIEVAL;
  return [
    {
      id: 'of-the-copy',
      abortIncompleteMultipartUploadAfter: Duration.days(7),
      ...(expiry === undefined ? {} : { expiration: expiry, noncurrentVersionExpiration: HIDDEN_FOR }),
      ...(coldAfterDays === undefined
        ? {}
        : { transitions: [{ storageClass, transitionAfter: Duration.days(coldAfterDays) }] }),
    },
  ];
}
