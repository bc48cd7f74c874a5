<?php

declare(strict_types=1);

namespace Headroom\Console\Doctor;

use Headroom\Doctor\CheckResult;
use Headroom\Doctor\Report;
use Symfony\Component\Console\Exception\InvalidOptionException;

use function array_diff;
use function array_map;
use function array_values;
use function in_array;
use function is_array;
use function is_file;
use function is_string;
use function json_decode;

/**
 * An earlier report, as `--json` printed it.
 *
 * @internal
 */
final readonly class PreviousReport
{
    /** @param list<string> $problems keys of verdicts */
    private function __construct(private array $problems) {}

    /** @throws InvalidOptionException */
    public static function fromFile(string $file): self
    {
        $read = is_file($file)
            ? json_decode((string) @file_get_contents($file), true)
            : throw new InvalidOptionException("--since: there is no file {$file}.");
        $findings = is_array($read) ? $read['findings'] ?? null : null;

        if (! is_array($findings)) {
            throw new InvalidOptionException("--since: {$file} is not a report of the doctor. Use the output of"
                .' --json.');
        }

        $problems = [];

        foreach ($findings as $finding) {
            if (
                is_array($finding)
                && is_string($id = $finding['id'] ?? null)
                && in_array($finding['status'] ?? null, ['warn', 'fail'], true)
            ) {
                $subject = $finding['subject'] ?? '';
                $problems[] = is_string($subject) && $subject !== '' ? "{$id} {$subject}" : $id;
            }
        }

        return new self($problems);
    }

    /** @return array{come: list<string>, gone: list<string>} keys of verdicts */
    public function changes(Report $now): array
    {
        $problems = array_map(static fn (CheckResult $verdict): string => $verdict->key(), $now->problems());

        return [
            'come' => array_values(array_diff($problems, $this->problems)),
            'gone' => array_values(array_diff($this->problems, $problems)),
        ];
    }
}
