<?php

declare(strict_types=1);

namespace Headroom\Console\Load;

use Headroom\Core\Clock;
use Headroom\Load\InvalidPlan;
use Headroom\Load\Metrics\LoadResult;
use Headroom\Load\Observer;
use Headroom\Load\Plan;
use Headroom\Load\UnableToLoad;
use Headroom\Report\ReportFile;

/**
 * The files of --output. The suffix of a file name decides the format.
 *
 * @internal
 */
final class LoadOutputs
{
    private const SUFFIXES = ['json', 'jtl', 'html'];

    private ?JtlFile $jtl = null;

    /** @param array<string, string> $paths by suffix */
    private function __construct(private readonly array $paths) {}

    /**
     * @param list<string> $paths
     *
     * @throws InvalidPlan before the first request
     */
    public static function of(array $paths): self
    {
        $bySuffix = [];

        foreach ($paths as $path) {
            $suffix = pathinfo($path, PATHINFO_EXTENSION);
            $directory = dirname($path);

            if (! in_array($suffix, self::SUFFIXES, true) || isset($bySuffix[$suffix])) {
                throw InvalidPlan::option(
                    'output',
                    $path,
                    'a file name with the suffix .json, .html or .jtl, at most one of each',
                );
            }

            if (
                ! is_dir($directory)
                || is_dir($path)
                || self::isPipe($path)
                || ! is_writable(is_file($path) ? $path : $directory)
            ) {
                throw InvalidPlan::option(
                    'output',
                    $path,
                    'a file that this user may write, in an existing directory',
                );
            }

            $bySuffix[$suffix] = $path;
        }

        return new self($bySuffix);
    }

    /** @throws UnableToLoad */
    public function observer(Plan $plan, Clock $clock): ?Observer
    {
        return $this->jtl = isset($this->paths['jtl']) ? JtlFile::open($this->paths['jtl'], $plan, $clock) : null;
    }

    /**
     * The observer of one of several processes.
     *
     * @throws UnableToLoad
     */
    public function shared(Plan $plan, Clock $clock, int $process): ?Observer
    {
        return $this->jtl = isset($this->paths['jtl'])
            ? JtlFile::join($this->paths['jtl'], $plan, $clock, $process)
            : null;
    }

    /** @return list<string> messages about files that could not be written */
    public function close(): array
    {
        try {
            $this->jtl?->close();
        } catch (UnableToLoad $e) {
            return [$e->getMessage()];
        }

        return [];
    }

    /** @return list<string> messages about files that could not be written */
    public function write(LoadReport $report, LoadResult $result): array
    {
        $faults = $this->close();

        foreach ($this->paths as $suffix => $path) {
            $text = match ($suffix) {
                'json' => $report->json($result)."\n",
                'html' => $report->html($result),
                default => null,
            };

            $obstacle = $text === null ? null : ReportFile::write($path, $text);

            if ($obstacle !== null) {
                $faults[] = UnableToLoad::notWritten($path, $obstacle)->getMessage();
            }
        }

        return $faults;
    }

    /** Opening a named pipe blocks until another process reads it. */
    private static function isPipe(string $path): bool
    {
        $status = @stat($path);

        return $status !== false && ($status['mode'] & 0o170000) === 0o010000;
    }
}
