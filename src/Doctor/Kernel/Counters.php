<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel;

use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Doctor\FactUnavailable;

/**
 * Counters that only rise, at one moment. The difference of two readings is significant.
 *
 * @internal
 */
final readonly class Counters
{
    /** @param array<string, int> $values */
    private function __construct(public string $source, public int $atNanos, private array $values) {}

    /**
     * pswpin, pswpout: pages swapped in and out; oom_kill: processes killed because memory ran out.
     *
     * @throws FactUnavailable
     */
    public static function ofMemory(KernelFiles $files = new KernelFiles, Clock $clock = new SystemClock): self
    {
        return self::fields('/proc/vmstat', $files, $clock);
    }

    /**
     * ListenOverflows and ListenDrops: connections that a full queue dropped; TCPTimeWaitOverflow. Of TCP only, and of
     * one network namespace: that of the process.
     *
     * @throws FactUnavailable
     */
    public static function ofTcp(
        string $process = 'self',
        KernelFiles $files = new KernelFiles,
        Clock $clock = new SystemClock,
    ): self {
        $path = "/proc/{$process}/net/netstat";
        $at = $clock->monotonicNanos();
        $values = [];
        $names = null;

        foreach (explode("\n", $files->read($path)) as $index => $line) {
            $words = preg_split('/ +/', trim($line));
            $words = $words === false ? [] : $words;

            if ($names === null) {
                $names = $words;
            } elseif (count($names) !== count($words) || $names[0] !== $words[0]) {
                throw UnreadableKernel::malformed($path, $index + 1, $line);
            } else {
                $values += self::pairs($names, $words);
                $names = null;
            }
        }

        return new self($path, $at, $values);
    }

    /**
     * nr_periods, nr_throttled and throttled_usec (v1: throttled_time, in ns) of a control group's CPU quota.
     *
     * @throws FactUnavailable
     */
    public static function ofFile(
        string $path,
        KernelFiles $files = new KernelFiles,
        Clock $clock = new SystemClock,
    ): self {
        return self::fields($path, $files, $clock);
    }

    public function find(string $name): ?int
    {
        return $this->values[$name] ?? null;
    }

    /** @throws FactUnavailable */
    public function get(string $name): int
    {
        return $this->values[$name] ?? throw UnreadableKernel::noField($this->source, $name);
    }

    /**
     * How much a counter rose. A counter that fell has restarted: its value has been counted since.
     *
     * @throws FactUnavailable
     */
    public function rise(string $name, self $before): int
    {
        $rise = $this->get($name) - $before->get($name);

        return $rise >= 0 ? $rise : $this->get($name);
    }

    public function secondsSince(self $before): float
    {
        return ($this->atNanos - $before->atNanos) / 1_000_000_000;
    }

    private static function fields(string $path, KernelFiles $files, Clock $clock): self
    {
        $at = $clock->monotonicNanos();

        return new self($path, $at, KernelFields::parse($path, $files->read($path))->all());
    }

    /**
     * @param list<string> $names
     * @param list<string> $words
     * @return array<string, int>
     */
    private static function pairs(array $names, array $words): array
    {
        $values = [];

        foreach ($names as $i => $name) {
            if ($i > 0 && preg_match('/\A\d{1,18}\z/', $words[$i]) === 1) {
                $values[$name] = (int) $words[$i];
            }
        }

        return $values;
    }
}
