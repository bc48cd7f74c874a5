<?php

declare(strict_types=1);

namespace Headroom\Console\Doctor;

use Headroom\Doctor\CheckResult;
use Headroom\Doctor\Report;
use Headroom\Report\ReportFile;
use Symfony\Component\Console\Exception\InvalidOptionException;

/**
 * Known problems, which a report leaves out.
 *
 * @internal
 */
final readonly class Baseline
{
    /** @param list<string> $keys of verdicts */
    public function __construct(public array $keys) {}

    public static function of(Report $report): self
    {
        $keys = array_values(array_unique(array_map(
            static fn (CheckResult $result): string => $result->key(),
            $report->problems(),
        )));
        sort($keys);

        return new self($keys);
    }

    /** @throws InvalidOptionException */
    public static function fromFile(string $file): self
    {
        $read = is_file($file)
            ? json_decode((string) @file_get_contents($file), true)
            : throw new InvalidOptionException(
                "--baseline: there is no file {$file}. --write-baseline={$file} writes it.",
            );
        $keys = is_array($read) ? $read['known'] ?? null : null;

        if (! is_array($keys) || count(array_filter($keys, is_string(...))) !== count($keys)) {
            throw new InvalidOptionException(
                "--baseline: {$file} does not look like {\"known\": [\"N5\", ...]}. Use a file that --write-baseline"
                    .' wrote.',
            );
        }

        return new self(array_values(array_filter($keys, is_string(...))));
    }

    /** @throws InvalidOptionException */
    public function writeTo(string $file): void
    {
        $obstacle = ReportFile::write(
            $file,
            json_encode(
                ['known' => $this->keys],
                JSON_PRETTY_PRINT
                    | JSON_UNESCAPED_SLASHES
                    | JSON_UNESCAPED_UNICODE
                    | JSON_INVALID_UTF8_SUBSTITUTE
                    | JSON_THROW_ON_ERROR,
            )
                ."\n",
        );

        if ($obstacle !== null) {
            throw new InvalidOptionException("--write-baseline: {$file} cannot be written: {$obstacle}.");
        }
    }
}
