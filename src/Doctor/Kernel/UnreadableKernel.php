<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel;

use Headroom\Doctor\FactUnavailable;
use Headroom\Support\TerminalText;

/**
 * The reasons why a fact about the machine is not known, each with the command that answers it.
 *
 * @internal
 */
final readonly class UnreadableKernel
{
    private const SHOWN_BYTES = 200;

    public static function gone(string $path, int $pid): FactUnavailable
    {
        return FactUnavailable::because("The process {$pid} ended before {$path} was read.", 'ps aux');
    }

    public static function unreadable(string $path, string $reason): FactUnavailable
    {
        return FactUnavailable::because("{$path} cannot be read: {$reason}.", "sudo cat {$path}");
    }

    public static function unlisted(string $path, string $reason): FactUnavailable
    {
        return FactUnavailable::because("{$path} cannot be listed: {$reason}.", "sudo ls {$path} | wc -l");
    }

    public static function noField(string $path, string $field): FactUnavailable
    {
        return FactUnavailable::because(
            "{$path} has no number for {$field}: this kernel does not report it.",
            "cat {$path}",
        );
    }

    public static function malformed(string $path, int $line, string $seen): FactUnavailable
    {
        return FactUnavailable::because(
            "{$path} line {$line} has an unexpected format: "
                .addcslashes(substr($seen, 0, 80), "\0..\37\177..\377").'.',
            "cat {$path}",
        );
    }

    public static function noProgram(string $program, string $package, string $command): FactUnavailable
    {
        return FactUnavailable::because(
            "{$program} is not installed, and the kernel has this figure nowhere else. Install it:"
                ." apt install {$package}",
            "apt install {$package} && {$command}",
        );
    }

    public static function failed(string $command, int $code, string $errors): FactUnavailable
    {
        $end = TerminalText::line(trim(substr($errors, -self::SHOWN_BYTES)));

        return FactUnavailable::because(
            "{$command} ended with code {$code}".($end === '' ? '' : ": {$end}").'.',
            "sudo {$command}",
        );
    }

    public static function notStarted(string $command, string $reason): FactUnavailable
    {
        return FactUnavailable::because(
            "{$command} did not start: ".TerminalText::line(substr($reason, 0, self::SHOWN_BYTES)),
            $command,
        );
    }

    public static function printsWithoutEnd(string $command, int $limit): FactUnavailable
    {
        return FactUnavailable::because("{$command} printed more than {$limit} bytes and was ended.", $command);
    }

    public static function garbage(string $command, string $seen): FactUnavailable
    {
        return FactUnavailable::because(
            "{$command} printed unexpected output: ".TerminalText::line(substr($seen, 0, 80)),
            $command,
        );
    }

    public static function tookTooLong(string $command, float $seconds): FactUnavailable
    {
        return FactUnavailable::because("{$command} did not end within {$seconds} seconds.", $command);
    }

    public static function notListening(string $at, string $command): FactUnavailable
    {
        return FactUnavailable::because("No process listens at {$at}, as {$command} shows.", $command);
    }

    public static function otherNetwork(int $pid, string $command): FactUnavailable
    {
        return FactUnavailable::because(
            "The process {$pid} has a network of its own, as in a container: ss shows other sockets here.",
            "sudo nsenter -t {$pid} -n {$command}",
        );
    }

    public static function noController(int $pid, string $what): FactUnavailable
    {
        return FactUnavailable::because(
            "No control group of the process {$pid} reports its {$what}: none is mounted here.",
            "cat /proc/{$pid}/cgroup /proc/self/mountinfo",
        );
    }
}
