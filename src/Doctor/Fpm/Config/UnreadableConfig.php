<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Config;

use Headroom\Doctor\FactUnavailable;

/**
 * @internal
 */
final readonly class UnreadableConfig
{
    private const SHOWN_BYTES = 300;

    public static function nothingPrinted(string $command, string $seen): FactUnavailable
    {
        return FactUnavailable::because(
            "{$command} printed no configuration"
                .self::words($seen, '; with a log_level above notice it prints nothing')
                .'.',
            "sudo {$command}",
        );
    }

    public static function cut(string $command, string $seen): FactUnavailable
    {
        return FactUnavailable::because(
            "{$command} printed a configuration without its end".self::words($seen, '').'.',
            "sudo {$command}",
        );
    }

    public static function failed(string $command, ?int $code, string $seen): FactUnavailable
    {
        return FactUnavailable::because(
            "{$command} ended with code ".($code ?? 'unknown').self::words($seen, '').'.',
            "sudo {$command}",
        );
    }

    public static function file(string $path, string $reason): FactUnavailable
    {
        return FactUnavailable::because("{$path} cannot be read: {$reason}.", 'sudo cat '.escapeshellarg($path));
    }

    public static function noBinary(int $pid, string $reason): FactUnavailable
    {
        return FactUnavailable::because(
            "The program of PHP-FPM's master {$pid} is not known: {$reason}.",
            "sudo readlink /proc/{$pid}/exe",
        );
    }

    public static function foreign(int $pid, ?int $owner): FactUnavailable
    {
        return FactUnavailable::because(
            "PHP-FPM's master {$pid} belongs to ".($owner === null ? 'an unknown user' : "user {$owner}")
                .', and the doctor neither runs its program nor reads its files as another user.',
            $owner === null ? '' : 'sudo -u '.escapeshellarg("#{$owner}").' headroom doctor',
        );
    }

    public static function changeable(string $binary, string $configFile): FactUnavailable
    {
        return FactUnavailable::because(
            "{$binary} can be changed or replaced by users other than root (see namei -l), so it is not run as root.",
            'sudo '.escapeshellarg($binary).' -tt -y '.escapeshellarg($configFile),
        );
    }

    public static function relative(int $pid, string $configFile): FactUnavailable
    {
        return FactUnavailable::because(
            "PHP-FPM's master {$pid} was started with {$configFile}, relative to a directory that is missing or"
                .' not visible to this user.',
            "sudo readlink /proc/{$pid}/cwd",
        );
    }

    /** @param string $pool that runs */
    public static function otherPools(int $pid, string $pool, string $configFile): FactUnavailable
    {
        return FactUnavailable::because(
            "PHP-FPM's master {$pid} runs a pool {$pool} that {$configFile} does not have:"
                .' the file has changed since, or'
                .' php-fpm was started with -p.',
            "sudo kill -USR2 {$pid}",
        );
    }

    public static function elsewhere(int $pid, string $configFile): FactUnavailable
    {
        return FactUnavailable::because(
            "PHP-FPM's master {$pid} has a file system of its own, as in a container, or this user may not see whether"
                ." it has: {$configFile} may be another file here.",
            "sudo nsenter -t {$pid} -a php-fpm -tt -y ".escapeshellarg($configFile),
        );
    }

    private static function words(string $seen, string $otherwise): string
    {
        $end = trim(substr($seen, -self::SHOWN_BYTES));

        return $end === '' ? $otherwise : ": {$end}";
    }
}
