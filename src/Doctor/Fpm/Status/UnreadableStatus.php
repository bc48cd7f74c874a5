<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Status;

use Headroom\Doctor\FactUnavailable;
use Headroom\Host\Fpm\UnableToQueryPool;

/**
 * @internal
 */
final readonly class UnreadableStatus
{
    private const SHOWN_BYTES = 120;

    private const PATHS = " | grep -E 'status_path|status_listen'";

    public static function noJson(string $source, string $seen, string $error): FactUnavailable
    {
        return FactUnavailable::because(
            "{$source} answered without JSON ({$error}): ".self::beginning($seen)
                .'. The reason may be an application that answers every path, or another pm.status_path.',
            UnableToQueryPool::DUMP.self::PATHS,
        );
    }

    public static function noPool(string $source, string $seen): FactUnavailable
    {
        return FactUnavailable::because(
            "{$source} answered with JSON without a pool: ".self::beginning($seen).". It is not FPM's status page.",
            UnableToQueryPool::DUMP.self::PATHS,
        );
    }

    public static function status(string $source, int $status, string $seen): FactUnavailable
    {
        return FactUnavailable::because(
            "{$source} answered with the status {$status}: ".self::beginning($seen).'.',
            UnableToQueryPool::DUMP.self::PATHS,
        );
    }

    private static function beginning(string $text): string
    {
        $start = substr($text, 0, self::SHOWN_BYTES);

        return $text === ''
            ? 'nothing'
            : '"'.addcslashes($start, "\0..\37\"\\\177..\377").'"'
                .($start === $text ? '' : ' and '.(strlen($text) - strlen($start)).' bytes more');
    }
}
