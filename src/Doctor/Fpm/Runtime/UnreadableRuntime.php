<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Runtime;

use Headroom\Doctor\CheckText;
use Headroom\Doctor\FactUnavailable;
use Headroom\Host\Fpm\Address;
use Throwable;

/**
 * @internal
 */
final readonly class UnreadableRuntime
{
    private const SHOWN_BYTES = 200;

    private const STATUS = 'opcache_get_status() in a script of the pool';

    public static function notRun(Address $address, string $reason, ?Throwable $previous = null): FactUnavailable
    {
        return FactUnavailable::because(
            "The pool at {$address->text()} did not report its PHP: {$reason}",
            self::byHand(),
            $previous,
        );
    }

    public static function garbage(Address $address, string $seen): FactUnavailable
    {
        $beginning = addcslashes(substr($seen, 0, self::SHOWN_BYTES), "\0..\37\177..\377");

        return FactUnavailable::because(
            "The pool at {$address->text()} ran the probe, which printed unreadable output: {$beginning}",
            self::byHand(),
        );
    }

    public static function noOpcache(string $source, string $reason): FactUnavailable
    {
        return FactUnavailable::because("opcache of {$source} reports nothing: {$reason}", self::STATUS);
    }

    /** @param string $figure a figure of opcache that its version, or its configuration, does not report */
    public static function noFigure(string $source, string $figure): FactUnavailable
    {
        return FactUnavailable::because("opcache of {$source} does not report {$figure}.", self::STATUS);
    }

    private static function byHand(): string
    {
        return 'sudo '.CheckText::command('O1', 'O2').'   # as root, while a process of the pool is free';
    }
}
