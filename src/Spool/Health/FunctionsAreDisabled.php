<?php

declare(strict_types=1);

namespace Headroom\Spool\Health;

use Headroom\Core\Finding;
use Headroom\Spool\SpoolConfig;
use Headroom\Support\InvalidConfig;
use Headroom\Support\UnableToCall;

/**
 * Functions that the buffer needs and the host has disabled (disable_functions).
 *
 * @internal
 */
final readonly class FunctionsAreDisabled implements HealthCheck
{
    /** Without one of these no event is taken, or none is delivered. */
    public const NEEDED = [
        'clearstatcache', 'fclose', 'file_exists', 'fileinode', 'fopen', 'flock', 'fread', 'fseek', 'fstat',
        'ftruncate', 'fwrite', 'is_dir', 'is_executable',
        'is_link', 'lstat', 'mkdir', 'rename', 'scandir', 'stat', 'stream_get_contents', 'unlink',
    ];

    public function __construct(private SpoolConfig $config) {}

    /** @return list<Finding> */
    public function findings(): array
    {
        $missing = array_filter(self::NEEDED, static fn (string $function): bool => ! function_exists($function));

        return [
            ...array_values(array_map(static fn (string $function): Finding => self::missing($function), $missing)),
            ...$this->losses(),
        ];
    }

    /** @return list<Finding> */
    private function losses(): array
    {
        $notes = [];

        if (! function_exists('disk_free_space') && $this->hasReserve()) {
            $notes[] = self::note(
                'disk_free_space',
                "How much room the disk has is unknown, so 'min_free_bytes' is not kept: events are taken until the disk is full.",
            );
        }

        if (! function_exists('proc_open')) {
            $notes[] = self::note(
                'proc_open',
                'No process can be started: the scheduler flushes in its own, and whether locks hold between two processes is unknown.',
            );
        }

        return $notes;
    }

    private function hasReserve(): bool
    {
        try {
            return $this->config->minFreeBytes() > 0;
        } catch (InvalidConfig) {
            return false; // The configuration's own check tells.
        }
    }

    public static function missing(string $function): Finding
    {
        return new Finding(
            "PHP's {$function}()",
            UnableToCall::seen($function).' Events go as overflow of their bucket says, or nothing is delivered.',
            UnableToCall::advice($function),
        );
    }

    private static function note(string $function, string $message): Finding
    {
        return new Finding("PHP's {$function}()", $message, UnableToCall::advice($function), false);
    }
}
