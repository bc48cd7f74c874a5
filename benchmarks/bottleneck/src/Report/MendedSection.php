<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Bottleneck\Report;

use Headroom\Benchmarks\Bottleneck\Stage;
use Headroom\Report\Page\Block;
use Headroom\Report\Page\BulletList;
use Headroom\Report\Page\Facts;
use Headroom\Report\Page\Paragraph;
use Headroom\Report\Page\Section;
use Headroom\Report\Page\Tone;

/**
 * A stage that was mended as the doctor's findings print it, step by step.
 *
 * @phpstan-import-type Mended from StageRows
 * @phpstan-import-type Step from StageRows
 */
final readonly class MendedSection
{
    /** @param Mended $row */
    public function __construct(private array $row) {}

    public function section(): Section
    {
        $stage = Stage::from($this->row['stage']);

        return new Section(
            "mended-{$stage->value}",
            "{$stage->title()}, mended as printed: ".($this->row['fixed'] ? 'fixed' : 'not fixed'),
            array_merge(...array_map(self::step(...), $this->row['steps'])),
            $this->row['fixed'] ? Tone::Plain : Tone::Alert,
        );
    }

    /**
     * @param Step $step
     * @return list<Block>
     */
    private static function step(array $step): array
    {
        $isStuck = $step['load'] === null;
        $lead = Paragraph::lead("{$step['check']}: {$step['words']}", $isStuck ? Tone::Alert : Tone::Plain);

        return $isStuck ? [$lead] : [
            $lead,
            new Paragraph('What was done, as the finding prints it:'),
            new BulletList(array_map(static fn (string $done): string => "`{$done}`", $step['done'])),
            new Paragraph(
                "Then the same load again. {$step['check']} "
                    .($step['gone'] ? 'finds nothing any more.' : 'is still found.'),
                $step['gone'] ? Tone::Plain : Tone::Alert,
            ),
            new Facts(array_map(null, ['errors', 'mean', 'p95'], array_slice(LoadWords::of($step['load']), 0, 3))),
        ];
    }
}
