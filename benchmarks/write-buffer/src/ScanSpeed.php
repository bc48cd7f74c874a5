<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

use Headroom\Bench\Samples;
use Headroom\Process\TemporaryDirectory;
use RuntimeException;
use Symfony\Component\Process\Process;

/**
 * The speed of reading segments, at several sizes and with damage: scan.php.
 */
final readonly class ScanSpeed
{
    /** @param non-empty-list<int> $sizes megabytes, rising */
    public function __construct(private array $sizes, private int $rounds) {}

    /**
     * @return array{
     *     whole: array<int, array<string, float|int>>,
     *     damaged: array<int, array<string, float|int>>,
     *     damaged_frames: int,
     * }
     */
    public function run(): array
    {
        $directory = TemporaryDirectory::create('scan');
        $process = new Process(
            [
                PHP_BINARY,
                dirname(__DIR__).'/scan.php',
                $directory->path,
                (string) $this->rounds,
                ...array_map(strval(...), $this->sizes),
            ],
            timeout: 900,
        );

        try {
            $process->run() === 0 || throw new RuntimeException($process->getErrorOutput().$process->getOutput());
        } finally {
            $directory->remove();
        }

        $figures = json_decode($process->getOutput(), true, flags: JSON_THROW_ON_ERROR);
        $samples = static fn (array $runs): array
            => array_map(static fn (array $values): array => (new Samples($values))->toArray(), $runs);

        return [
            'whole' => $samples($figures['whole']),
            'damaged' => $samples($figures['damaged']),
            'damaged_frames' => $figures['damaged_frames'],
        ];
    }
}
