<?php

declare(strict_types=1);

namespace Headroom\Process;

use Headroom\Core\HeadroomException;
use RuntimeException;

/**
 * A process, or the directory of a server, could not be set up.
 *
 * @internal
 */
final class UnableToStart extends RuntimeException implements HeadroomException
{
    private function __construct(string $message, public readonly string $log = '')
    {
        parent::__construct($message);
    }

    public static function process(string $name, string $reason): self
    {
        return new self(
            "{$name} could not be started: {$reason}. Check that this user may run it and that memory is free.",
        );
    }

    public static function exited(string $name, ?int $code, string $log): self
    {
        return new self(
            "{$name} ended with code ".($code ?? 'unknown')." before it was ready. The end of its log:\n{$log}",
            $log,
        );
    }

    public static function notReady(string $name, int $millis, string $log): self
    {
        return new self("{$name} was not ready after {$millis} ms. The end of its log:\n{$log}", $log);
    }

    public static function noFreePort(int $first, int $last, int $tries): self
    {
        return new self(
            "None of {$tries} ports between {$first} and {$last} of 127.0.0.1 could be bound. Free some;"
                .' `ss -ltn` lists those in use.',
        );
    }

    public static function directory(string $path, string $wanted): self
    {
        return new self(
            "{$path} could not be {$wanted}. Allow it for this user, or set TMPDIR to a directory that allows it.",
        );
    }

    public static function untrusted(string $folder): self
    {
        return new self(
            "Users other than root can change {$folder}, so root cannot keep files there. Set TMPDIR to a directory of"
                .' root, such as /tmp.',
        );
    }
}
