<?php

declare(strict_types=1);

namespace Headroom\Doctor\Facts\Kernel;

use Closure;
use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Doctor\UnknownFact;

/**
 * What the kernel counted while the doctor looked: the difference of two looks. What it counted before
 * that may be of last year.
 *
 * @internal
 */
final readonly class KernelWindow
{
    private const MICROS = 1_000_000;

    /**
     * @param Risen|UnknownFact $tcp TcpExt of the network namespace of this process
     * @param Risen|UnknownFact $memory of the machine
     * @param array<string, Risen|UnknownFact> $throttled of each CPU quota, by who is under it
     */
    public function __construct(
        private Risen|UnknownFact $tcp,
        private Risen|UnknownFact $memory,
        public array $throttled = [],
    ) {}

    /** @param array<string, string> $quotas files of nr_periods and nr_throttled, by who is under them */
    public static function look(
        array $quotas = [],
        KernelFiles $files = new KernelFiles,
        Clock $clock = new SystemClock,
    ): self {
        $looks = [
            'tcp' => static fn (): Counters => Counters::ofTcp(files: $files, clock: $clock),
            'memory' => static fn (): Counters => Counters::ofMemory($files, $clock),
        ];

        foreach ($quotas as $who => $file) {
            $looks["quota of {$who}"] = static fn (): Counters => Counters::ofFile($file, $files, $clock);
        }

        $before = array_map(self::attempt(...), $looks);
        $clock->sleep(self::MICROS);
        $risen = [];

        foreach ($looks as $what => $look) {
            $risen[$what] = self::between(
                $before[$what],
                $before[$what] instanceof UnknownFact ? $before[$what] : self::attempt($look),
            );
        }

        return new self(
            $risen['tcp'],
            $risen['memory'],
            array_combine(array_keys($quotas), array_slice(array_values($risen), 2)),
        );
    }

    /** @throws UnknownFact */
    public function tcp(): Risen
    {
        return $this->tcp instanceof Risen ? $this->tcp : throw $this->tcp;
    }

    /** @throws UnknownFact */
    public function memory(): Risen
    {
        return $this->memory instanceof Risen ? $this->memory : throw $this->memory;
    }

    /** @param Closure(): Counters $look */
    private static function attempt(Closure $look): Counters|UnknownFact
    {
        try {
            return $look();
        } catch (UnableToTell $e) {
            return UnknownFact::because($e->getMessage(), $e->command);
        }
    }

    private static function between(Counters|UnknownFact $before, Counters|UnknownFact $after): Risen|UnknownFact
    {
        return $before instanceof UnknownFact
            ? $before
            : ($after instanceof UnknownFact ? $after : new Risen($before, $after));
    }
}
