<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel;

use Headroom\Core\HeadroomException;
use RuntimeException;

/**
 * Why a fact about the machine is not known, and what would tell it.
 *
 * @internal
 */
final class UnableToTell extends RuntimeException implements HeadroomException
{
    /** @param string $command tells it, on a shell of the machine */
    private function __construct(string $message, public readonly string $command)
    {
        parent::__construct($message);
    }

    public static function gone(string $path, int $pid): self
    {
        return new self("The process {$pid} ended before {$path} was read.", 'ps aux');
    }

    public static function unreadable(string $path, string $reason): self
    {
        return new self("{$path} can not be read: {$reason}.", "sudo cat {$path}");
    }

    public static function unlisted(string $path, string $reason): self
    {
        return new self("{$path} can not be listed: {$reason}.", "sudo ls {$path} | wc -l");
    }

    public static function noField(string $path, string $field): self
    {
        return new self(
            "{$path} holds no {$field} that is a number: this kernel, or what stands in for it, does not tell.",
            "cat {$path}",
        );
    }

    public static function malformed(string $path, int $line, string $seen): self
    {
        return new self(
            "{$path} line {$line} is not what this kernel file holds: "
                .addcslashes(substr($seen, 0, 80), "\0..\37\177..\377").'.',
            "cat {$path}",
        );
    }

    public static function noProgram(string $program, string $package, string $command): self
    {
        return new self(
            "{$program} is not installed, and the kernel shows this nowhere else. Install it: apt install {$package}",
            "apt install {$package} && {$command}",
        );
    }

    public static function failed(string $command, ?int $code, string $words): self
    {
        return new self(
            "{$command} ended with code ".($code ?? 'unknown').($words === '' ? '' : ': '.trim($words)).'.',
            "sudo {$command}",
        );
    }

    public static function tookTooLong(string $command, int $seconds): self
    {
        return new self("{$command} did not end within {$seconds} seconds.", $command);
    }

    public static function notListening(string $at, string $command): self
    {
        return new self("Nobody listens at {$at} as far as {$command} shows.", $command);
    }

    public static function otherNetwork(int $pid, string $command): self
    {
        return new self(
            "The process {$pid} has a network of its own, as in a container: what ss shows here is not what it has.",
            "sudo nsenter -t {$pid} -n {$command}",
        );
    }

    public static function noController(int $pid, string $what): self
    {
        return new self(
            "No control group of the process {$pid} tells its {$what}: none is mounted here.",
            "cat /proc/{$pid}/cgroup /proc/self/mountinfo",
        );
    }
}
