<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel;

use Closure;
use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Doctor\FactUnavailable;

/**
 * The kernel's counters during the observation: the difference of two readings. Earlier counts may be a year old.
 *
 * @internal
 */
final readonly class KernelWindow
{
    private const MICROS = 1_000_000;

    /**
     * @param CounterDelta|FactUnavailable $tcp TcpExt of the network namespace of this process
     * @param CounterDelta|FactUnavailable $memory of the machine
     * @param array<string, CounterDelta|FactUnavailable> $throttled of each CPU quota, by the server that it limits
     */
    public function __construct(
        private CounterDelta|FactUnavailable $tcp,
        private CounterDelta|FactUnavailable $memory,
        public array $throttled = [],
    ) {}

    /** @param array<string, string> $quotas files of nr_periods and nr_throttled, by the server that they limit */
    public static function measure(
        array $quotas = [],
        KernelFiles $files = new KernelFiles,
        Clock $clock = new SystemClock,
    ): self {
        $readers = [
            'tcp' => static fn (): Counters => Counters::ofTcp(files: $files, clock: $clock),
            'memory' => static fn (): Counters => Counters::ofMemory($files, $clock),
        ];

        foreach ($quotas as $who => $file) {
            $readers["quota of {$who}"] = static fn (): Counters => Counters::ofFile($file, $files, $clock);
        }

        $before = array_map(self::attempt(...), $readers);
        $clock->sleep(self::MICROS);
        $risen = [];

        foreach ($readers as $what => $read) {
            $risen[$what] = self::between(
                $before[$what],
                $before[$what] instanceof FactUnavailable ? $before[$what] : self::attempt($read),
            );
        }

        return new self(
            $risen['tcp'],
            $risen['memory'],
            array_combine(array_keys($quotas), array_slice(array_values($risen), 2)),
        );
    }

    /** @throws FactUnavailable */
    public function tcp(): CounterDelta
    {
        return $this->tcp instanceof CounterDelta ? $this->tcp : throw $this->tcp;
    }

    /** @throws FactUnavailable */
    public function memory(): CounterDelta
    {
        return $this->memory instanceof CounterDelta ? $this->memory : throw $this->memory;
    }

    /** @param Closure(): Counters $read */
    private static function attempt(Closure $read): Counters|FactUnavailable
    {
        try {
            return $read();
        } catch (FactUnavailable $e) {
            return FactUnavailable::because($e->getMessage(), $e->command);
        }
    }

    private static function between(
        Counters|FactUnavailable $before,
        Counters|FactUnavailable $after,
    ): CounterDelta|FactUnavailable {
        return $before instanceof FactUnavailable
            ? $before
            : ($after instanceof FactUnavailable ? $after : new CounterDelta($before, $after));
    }
}
