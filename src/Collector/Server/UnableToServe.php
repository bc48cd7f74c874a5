<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Headroom\Core\Permanent;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * The collector cannot start or continue.
 *
 * @internal
 */
final class UnableToServe extends RuntimeException implements Permanent
{
    private function __construct(string $message)
    {
        parent::__construct(TerminalText::line($message));
    }

    public static function notBound(string $address, string $reason): self
    {
        return new self(
            "The collector cannot listen on {$address}: {$reason}. Another process may use the address (see `ss"
                .' -ltnp`), or this machine does not have it. Set another one with --listen or collector.listen.',
        );
    }

    public static function noDescriptor(int $descriptor): self
    {
        return new self(
            "Descriptor {$descriptor} is not a listening socket. Start workers with `headroom:collect`, never by hand,"
                .' and set Accept=no in a socket unit.',
        );
    }

    public static function alreadyRuns(string $directory, ?int $pid): self
    {
        return new self(
            'A collector '.($pid === null ? 'holds' : "(pid {$pid}) holds")
                ." {$directory}/collector.lock, and one per buffer is enough. Stop it with `headroom:collect:stop`,"
                .' give it new code with `headroom:collect:reload`, or point spool.path elsewhere.',
        );
    }

    public static function notRunning(string $directory): self
    {
        return new self("No collector runs for {$directory}. Start one with `headroom:collect`.");
    }

    public static function notNamed(string $directory): self
    {
        return new self(
            "A collector runs, and the process that {$directory}/pid.json names does not hold"
                ." {$directory}/collector.lock. Run this as root or as the user that runs the collector;"
                ." `fuser {$directory}/collector.lock` shows the process.",
        );
    }

    public static function notSeen(string $file, string $reason): self
    {
        return new self(
            "{$file} shows whether a collector runs, and it cannot be read: {$reason}. Run this as the user that runs"
                .' the collector.',
        );
    }

    public static function directory(string $path, string $reason): self
    {
        return new self(
            "The collector's directory {$path} is not usable: {$reason}. It lies below spool.path;"
                .' the user that runs the collector needs write permission.',
        );
    }

    public static function missing(string $component, string $command): self
    {
        return new self("The collector needs {$component}, which is not installed. Run: {$command}");
    }

    public static function descriptorsInherited(int $open, int $end): self
    {
        return new self(
            "{$open} descriptors were open when this process started, and PHP's select() supports none from {$end} on."
                .' Start the collector from a process that closes its own, or install the PHP extension `event`.',
        );
    }

    public static function notSignalled(int $pid, string $reason): self
    {
        return new self(
            "The collector (pid {$pid}) did not get the signal: {$reason}. Run this as the user that runs it.",
        );
    }

    public static function notHandled(string $class, string $reason): self
    {
        return new self(
            "Handler {$class} cannot be mounted: {$reason}. collector.handlers maps a path prefix to the name of a"
                .' class that implements Headroom\\Collector\\Handler.',
        );
    }

    public static function notIntroduced(): self
    {
        return new self(
            'This process got no assignment from a supervisor. `headroom:collect` starts its workers; run that command'
                .' instead.',
        );
    }
}
