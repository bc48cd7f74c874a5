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
    /** Without one of these the buffer accepts no events, or delivers none. */
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
            ...$this->limitations(),
        ];
    }

    /** @return list<Finding> */
    private function limitations(): array
    {
        $notes = [];

        if (! function_exists('disk_free_space') && $this->hasReserve()) {
            $notes[] = self::note(
                'disk_free_space',
                "The free space of the disk is unknown, so 'min_free_bytes' has no effect: the buffer accepts events"
                    .' until the disk is full.',
            );
        }

        if (! function_exists('proc_open')) {
            $notes[] = self::note(
                'proc_open',
                'PHP cannot start a process: the scheduler flushes within its own process, and locks between'
                    .' processes are not checked.',
            );
        }

        return $notes;
    }

    private function hasReserve(): bool
    {
        try {
            return $this->config->minFreeBytes() > 0;
        } catch (InvalidConfig) {
            return false; // Another check reports an invalid configuration.
        }
    }

    public static function missing(string $function): Finding
    {
        return new Finding(
            "PHP's {$function}()",
            UnableToCall::seen($function)
                ." Without it the buffer refuses events ('overflow' applies), or delivers none.",
            UnableToCall::advice($function),
        );
    }

    private static function note(string $function, string $message): Finding
    {
        return new Finding("PHP's {$function}()", $message, UnableToCall::advice($function), false);
    }
}
