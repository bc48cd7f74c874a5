<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture\Counts;

/**
 * All counts of the house. Each is found by scanning: no class is named, so that moving one changes no list.
 */
final readonly class HouseCounts
{
    /** @return list<Count> */
    public static function all(): array
    {
        $files = (new FileParser)->parseAll('src');
        $wording = new Wording($files);

        return [
            ...(new Layout($files))->counts(),
            ...$wording->counts(),
            ...$wording->ofDocuments(),
            ...Lines::counts(),
            ...Walks::counts(),
        ];
    }
}
