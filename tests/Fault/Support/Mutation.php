<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Tests\Fault\Support\Mutations\DeadLetterGuards;
use Headroom\Tests\Fault\Support\Mutations\DeliveryGuards;
use Headroom\Tests\Fault\Support\Mutations\DurabilityGuards;
use Headroom\Tests\Fault\Support\Mutations\FileGuards;
use Headroom\Tests\Fault\Support\Mutations\FlowGuards;
use Headroom\Tests\Fault\Support\Mutations\KeptSlotGuards;
use Headroom\Tests\Fault\Support\Mutations\LockGuards;
use Headroom\Tests\Fault\Support\Mutations\PauseGuards;
use Headroom\Tests\Fault\Support\Mutations\RedisGuards;
use Headroom\Tests\Fault\Support\Mutations\RefusalGuards;
use Headroom\Tests\Fault\Support\Mutations\SealerGuards;
use Headroom\Tests\Fault\Support\Mutations\WriterGuards;

/**
 * One guard of the protocol, how to remove it, and the test that must notice.
 */
final readonly class Mutation
{
    /**
     * @param string $file below src/
     * @param string $guard occurs exactly once in that file, however its lines are wrapped
     * @param string $test class, "::" and method, below tests/Fault
     */
    public function __construct(
        public string $name,
        public string $file,
        public string $guard,
        public string $without,
        public string $test,
    ) {}

    /** @return ?string the file's code without the guard; null where the guard does not occur exactly once */
    public function removedFrom(string $source): ?string
    {
        $pattern = preg_replace_callback(
            '/(\s+)|(\S+)/',
            static fn (array $part): string => match (true) {
                ($part[2] ?? '') !== '' => preg_quote($part[2], '/'),
                str_contains($part[1], "\n") => '\s*\n\s*',
                default => '\s+',
            },
            $this->guard,
        );
        $without = $this->without;
        $changed = preg_replace_callback("/{$pattern}/", static fn (): string => $without, $source, -1, $count);

        return $count === 1 ? $changed : null;
    }

    /** @return list<self> */
    public static function all(): array
    {
        return [
            ...WriterGuards::all(),
            ...SealerGuards::all(),
            ...LockGuards::all(),
            ...DeliveryGuards::all(),
            ...DeadLetterGuards::all(),
            ...FileGuards::all(),
            ...RefusalGuards::all(),
            ...FlowGuards::all(),
            ...DurabilityGuards::all(),
            ...KeptSlotGuards::all(),
            ...PauseGuards::all(),
            ...RedisGuards::all(),
        ];
    }
}
