<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Core\Finding;
use Headroom\Core\SystemClock;
use Headroom\Spool\Delivery\FlushOptions;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\Health\DirectoryIsUnusable;
use Headroom\Spool\Monitoring\Verify\Findings;
use Headroom\Tests\Fault\Support\FaultTestCase;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;

/**
 * Numbers that other programs gave to files among the segments: PHP makes a float of the one after the last integer.
 */
final class SegmentNumbersTest extends FaultTestCase
{
    #[Test]
    #[TestWith(['sealed'])]
    #[TestWith(['completed'])]
    public function no_number_of_a_segment_ends_a_look_or_a_flush(string $folder): void
    {
        $this->world->append(['first']);
        $this->flush();
        $runtime = $this->world->runtime();
        $view = $runtime->bucketTools('events');

        foreach ([
            PHP_INT_MAX, PHP_INT_MAX - 1, PHP_INT_MAX - 2, intdiv(PHP_INT_MAX, 2), 10 ** 15, 100_002, 3,
        ] as $sequence) {
            $path = "{$this->world->layout()->directory}/{$folder}/".Layout::segmentName($sequence);
            copy($this->world->layout()->completedSegment(1), $path);
            $found = [];
            $view->verifier()->verify(
                'events',
                $view->ledger(),
                new Findings(static function (Finding $problem) use (&$found): void {
                    $found[] = $problem->subject;
                }, static function (): void {}),
            );
            $isForeign = $sequence === PHP_INT_MAX;
            self::assertSame($isForeign, $found === [], (string) $sequence);
            self::assertSame($isForeign, in_array($path, $this->problems(), true));
            $this->world->status();
            iterator_to_array($view->peek()->events($view->ledger()->progress(...)), false);

            if ($sequence > 3) {
                self::assertSame($isForeign, $this->world->flush()->failure === null, (string) $sequence);
                $this->world->cleaner(new SystemClock)->clean(60);
            }

            unlink($path);
        }

        self::assertNull($runtime->flusher()->flush('events', new FlushOptions(now: true))->failure);
        $this->assertDeliveredOnce(['first']);
    }

    /** @return list<string> what health is about */
    private function problems(): array
    {
        return array_map(
            static fn (Finding $problem): string => $problem->subject,
            (new DirectoryIsUnusable($this->world->store()))->findings(),
        );
    }
}
