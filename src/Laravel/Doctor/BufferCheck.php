<?php

declare(strict_types=1);

namespace Headroom\Laravel\Doctor;

use Headroom\Core\Finding as Found;
use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Runner\CheckList;

/**
 * The health checks of the buffer as checks of the doctor: B1 has the fatal findings, B2 the notes.
 *
 * @internal
 */
final readonly class BufferCheck implements Check
{
    private const COMMAND = 'artisan spool:health';

    private function __construct(private bool $isFatal, private string $consequence) {}

    public static function addTo(CheckList $checks): CheckList
    {
        return $checks->with('B1', new self(true, 'Events are refused, lost or not delivered.'))
            ->with('B2', new self(false, 'No event is lost because of it now.'));
    }

    public function examine(Facts $facts): iterable
    {
        $found = array_filter(
            $facts->get(BufferFindings::class)->findings,
            fn (Found $finding): bool => $finding->fatal === $this->isFatal,
        );

        return $found === [] ? [Finding::pass('spool:health reports nothing', $this->evidence('none'))] : array_map(
            fn (Found $finding): Finding => Finding::of(
                $finding,
                $this->evidence($finding->fatal ? 'FAIL' : 'NOTE'),
                $this->consequence,
                self::COMMAND,
            ),
            array_values($found),
        );
    }

    private function evidence(string $value): Evidence
    {
        return new Evidence('spool:health', $value, self::COMMAND);
    }
}
