<?php

declare(strict_types=1);

namespace Headroom\Spool\Health;

use Headroom\Core\Finding;
use Headroom\Spool\BucketStatus;
use Headroom\Spool\Services\SpoolServices;

/**
 * A bucket that exists and is not declared.
 *
 * @internal
 */
final readonly class BucketIsUndeclared implements HealthCheck
{
    public function __construct(private SpoolServices $spool) {}

    public function findings(): array
    {
        $declared = $this->spool->config()->names();
        // A bucket that callbacks flush has the sink 'callback', so it need not be declared.
        $unknown = array_filter(
            $this->spool->status()->buckets,
            static fn (BucketStatus $bucket): bool => $bucket->sink === null
                && ! in_array($bucket->bucket, $declared, true),
        );

        return array_values(array_map(
            static fn (BucketStatus $bucket): Finding
                => $bucket->isEmpty() ? self::empty($bucket) : self::nonEmpty($bucket),
            $unknown,
        ));
    }

    private static function empty(BucketStatus $bucket): Finding
    {
        return new Finding(
            "bucket {$bucket->bucket}",
            'It is empty and not declared under spool.buckets.',
            "Run `spool:retire {$bucket->bucket}` to remove it.",
            false,
        );
    }

    public static function nonEmpty(BucketStatus $bucket): Finding
    {
        $facade = $bucket->store === 'redis' ? 'RedisBuffer' : 'FileSystemBuffer';

        return new Finding(
            "bucket {$bucket->bucket}",
            'It holds events and is not declared under spool.buckets, so it has no sink.',
            "Declare '{$bucket->bucket}' under spool.buckets, or flush it with a callback"
                ." ({$facade}::flush()). Its events are kept until then.",
        );
    }
}
