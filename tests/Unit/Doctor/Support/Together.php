<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Support;

use Headroom\Doctor\Edit;
use Headroom\Doctor\Fix;

/**
 * The edits of several fixes of one examination: each once, and none that changes a line otherwise than one before it.
 */
final readonly class Together
{
    /**
     * @param array<string, Fix> $fixes
     * @return array{list<Edit>, list<string>} edits, and what is left for another examination,
     *     as another fix has its line
     */
    public static function of(array $fixes): array
    {
        $edits = [];
        $left = [];

        foreach ($fixes as $key => $fix) {
            foreach ($fix->edits as $edit) {
                $before = $edits[self::line($edit)] ?? null;

                if ($edit->old !== null && $before !== null && $before->new !== $edit->new) {
                    $left[] = $key;

                    continue 2;
                }
            }

            foreach ($fix->edits as $edit) {
                $edits[self::line($edit)] = $edit;
            }
        }

        return [array_values($edits), $left];
    }

    private static function line(Edit $edit): string
    {
        return $edit->old === null ? "{$edit->file} {$edit->line} {$edit->new}" : "{$edit->file} {$edit->line}";
    }
}
