<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Report;

use Headroom\Bench\Queues\BenchOptions;
use Headroom\Bench\Queues\Results\Findings;

/**
 * The results as JSON: resources/schema/queues.schema.json.
 *
 * @internal
 */
final readonly class QueuesDocument
{
    /**
     * @param array<string, mixed> $machine
     * @param array<string, Findings> $findings by scenario
     */
    public function __construct(private array $machine, private BenchOptions $options, private array $findings) {}

    /**
     * @return array{
     *     machine: array<string, mixed>,
     *     given: array<string, int|float>,
     *     scenarios: array<string, list<array<string, mixed>>>,
     * }
     */
    public function toArray(): array
    {
        return [
            'machine' => array_diff_key($this->machine, ['commit' => null]),
            'given' => $this->options->toArray(),
            'scenarios' => array_map(static fn (Findings $of): array => $of->toArray(), $this->findings),
        ];
    }
}
