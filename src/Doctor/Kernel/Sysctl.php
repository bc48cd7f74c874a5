<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel;

use Headroom\Doctor\Edit;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\FactUnavailable;

/**
 * Kernel settings, each with its value and its file.
 *
 * @internal
 */
final readonly class Sysctl
{
    /** The doctor's advice goes into a file of its own, which sysctl reads at each start of the machine. */
    public const FILE = '/etc/sysctl.d/60-headroom.conf';

    private const THP = '/sys/kernel/mm/transparent_hugepage/enabled';

    public function __construct(private KernelFiles $files = new KernelFiles) {}

    /**
     * @param string $name such as net.core.somaxconn
     *
     * @throws FactUnavailable
     */
    public function integer(string $name): int
    {
        $value = filter_var($this->text($name), FILTER_VALIDATE_INT);

        return $value === false ? throw UnreadableKernel::noField(self::path($name), $name) : $value;
    }

    /** @throws FactUnavailable */
    public function text(string $name): string
    {
        return trim($this->files->read(self::path($name)));
    }

    /**
     * The number of local ports for outgoing connections to one remote address and port.
     *
     * @throws FactUnavailable
     */
    public function localPorts(): int
    {
        $name = 'net.ipv4.ip_local_port_range';

        return preg_match('/\A(\d{1,5})\s+(\d{1,5})\z/', $this->text($name), $m) === 1 && $m[2] >= $m[1]
            ? (int) $m[2] - (int) $m[1] + 1
            : throw UnreadableKernel::noField(self::path($name), 'range');
    }

    /**
     * `sysctl -p` sets it now, and the file at each start of the machine.
     *
     * @return list<Edit>
     */
    public function edits(string $name, int|string $value): array
    {
        return array_map(
            static fn (Edit $edit): Edit => $edit->effectiveAfter('sudo sysctl -p '.self::FILE),
            (new SysctlFiles($this->files))->edits($name, (string) $value),
        );
    }

    /**
     * The undo of edits: a line that is gone does not set the value back.
     *
     * @param array<string, int|string> $values as they were, by name
     */
    public static function restored(array $values): string
    {
        $arguments = array_map(
            static fn (string $name, int|string $value): string => escapeshellarg("{$name}={$value}"),
            array_keys($values),
            $values,
        );

        return 'Remove the lines above, then run: sudo sysctl -w '.implode(' ', $arguments);
    }

    /** @throws FactUnavailable */
    public function evidence(string $name): Evidence
    {
        return new Evidence($name, $this->text($name), self::path($name));
    }

    /**
     * The word in brackets: always, madvise or never.
     *
     * @throws FactUnavailable
     */
    public function transparentHugePages(): string
    {
        return preg_match('/\[(\w+)\]/', $this->files->read(self::THP), $m) === 1
            ? $m[1]
            : throw UnreadableKernel::noField(self::THP, 'word in brackets');
    }

    /** The file of the value: the source of a fact. */
    public static function path(string $name): string
    {
        return '/proc/sys/'.strtr($name, '.', '/');
    }
}
