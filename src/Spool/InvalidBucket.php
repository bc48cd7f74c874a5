<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Headroom\Core\Permanent;
use Headroom\Support\TerminalText;
use InvalidArgumentException;

final class InvalidBucket extends InvalidArgumentException implements Permanent
{
    private function __construct(string $message)
    {
        parent::__construct(TerminalText::line($message));
    }

    public static function name(string $seen): self
    {
        $shown = json_encode(
            strlen($seen) > 80 ? substr($seen, 0, 80).'…' : $seen,
            JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES,
        );

        return new self("Bucket name {$shown} is not allowed. A name is 1 to 64 characters of a-z, 0-9, '.', '_' and"
            ." '-', and begins with a letter or a digit.");
    }

    public static function undeclared(string $bucket): self
    {
        return new self(
            "Bucket '".TerminalText::name($bucket)
                ."' is not declared, so its events have no sink and are kept. Declare it under spool.buckets.",
        );
    }

    /** @param list<string> $declared */
    public static function unexpected(string $bucket, array $declared): self
    {
        $names = implode(', ', array_map(TerminalText::name(...), array_slice($declared, 0, 10)));

        return new self(
            "Bucket '".TerminalText::name($bucket)."' is not declared under spool.buckets, where these are: {$names}. "
                .'Declare it, or fix its name. In production its events are kept, and a warning is logged.',
        );
    }

    /** @param ?string $sink null when it has none */
    public static function isOnDisk(string $bucket, ?string $sink): self
    {
        return new self($sink === null
            ? "Bucket '{$bucket}' has 'store' => 'file', so RedisBuffer cannot use it. Set 'store' to 'redis' or"
                .' remove it, or use FileSystemBuffer.'
            : "Bucket '{$bucket}' has the sink '{$sink}' and its store is file, so events in Redis would not be"
                ." delivered. Set its 'store' to 'redis', or use Buffer.");
    }

    public static function hasSink(string $bucket, string $sink): self
    {
        return new self("Bucket '{$bucket}' has the sink '{$sink}', so its events cannot go to a callback as well."
            ." Remove 'sink' from the bucket, or flush it with `spool:flush {$bucket}`.");
    }
}
