<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Runtime;

use Headroom\Core\HeadroomException;
use Headroom\Host\Fpm\Address;
use RuntimeException;
use Throwable;

/**
 * @internal
 */
final class UnreadableRuntime extends RuntimeException implements HeadroomException
{
    private const SHOWN_BYTES = 200;

    /** @param string $command tells it, on a shell of the machine */
    private function __construct(string $message, public readonly string $command, ?Throwable $previous = null)
    {
        parent::__construct($message, 0, $previous);
    }

    public static function notRun(Address $address, string $reason, ?Throwable $previous = null): self
    {
        return new self(
            "The pool at {$address->text()} could not be asked about its PHP: {$reason}",
            self::byHand(),
            $previous,
        );
    }

    public static function garbage(Address $address, string $seen): self
    {
        $beginning = addcslashes(substr($seen, 0, self::SHOWN_BYTES), "\0..\37\177..\377");

        return new self(
            "The pool at {$address->text()} ran the probe, and it printed what can not be read: {$beginning}",
            self::byHand(),
        );
    }

    private static function byHand(): string
    {
        return 'sudo headroom doctor --only=O1 --only=O2   # as root, while a process of the pool is free';
    }
}
