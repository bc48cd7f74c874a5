<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Process;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Kernel\KernelFiles;
use Headroom\Doctor\Kernel\UnreadableKernel;

/**
 * The effective limits of a process, which can differ from its configuration.
 *
 * @internal
 */
final readonly class ProcessLimits
{
    private const LINE = '/^(Max [a-z ]+?) {2,}(unlimited|\d{1,18}) +(unlimited|\d{1,18})(?: +[a-z]+)? *$/m';

    /**
     * @param array<string, ?int> $soft by the kernel's name; null is unlimited
     * @param array<string, ?int> $hard likewise: the value to which the process may raise it
     */
    private function __construct(public string $source, private array $soft, private array $hard) {}

    /** @throws FactUnavailable */
    public static function of(int $pid, KernelFiles $files = new KernelFiles): self
    {
        $path = "/proc/{$pid}/limits";
        preg_match_all(self::LINE, $files->read($path), $matches, PREG_SET_ORDER);
        $soft = [];
        $hard = [];

        foreach ($matches as [, $name, $value, $most]) {
            $soft[$name] = $value === 'unlimited' ? null : (int) $value;
            $hard[$name] = $most === 'unlimited' ? null : (int) $most;
        }

        return new self($path, $soft, $hard);
    }

    /**
     * Descriptors, which sockets are too. PHP_INT_MAX when unlimited.
     *
     * @throws FactUnavailable
     */
    public function openFiles(): int
    {
        return $this->get('Max open files');
    }

    /**
     * The value to which the process can raise its limit of descriptors without further permissions.
     *
     * @throws FactUnavailable
     */
    public function mostOpenFiles(): int
    {
        $this->openFiles();

        return $this->hard['Max open files'] ?? PHP_INT_MAX;
    }

    /** @throws FactUnavailable */
    public function processes(): int
    {
        return $this->get('Max processes');
    }

    private function get(string $name): int
    {
        return array_key_exists($name, $this->soft)
            ? $this->soft[$name] ?? PHP_INT_MAX
            : throw UnreadableKernel::noField($this->source, $name);
    }
}
