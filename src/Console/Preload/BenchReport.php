<?php

declare(strict_types=1);

namespace Headroom\Console\Preload;

use Headroom\Bench\Preload\PreloadFinding;

/**
 * The result of a measurement, as --json prints it.
 *
 * @internal
 */
final readonly class BenchReport
{
    /**
     * @param array<string, mixed> $machine
     * @param array<string, string> $refused the reason for each variant that was not measured
     * @param list<PreloadFinding> $findings
     */
    public function __construct(private array $machine, private array $refused, private array $findings) {}

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        return [
            'machine' => $this->machine,
            'refused' => $this->refused,
            'findings' => array_map(static fn (PreloadFinding $finding): array => $finding->toArray(), $this->findings),
        ];
    }
}
