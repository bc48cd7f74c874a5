<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance;

use Headroom\Tests\Support\DirectoryTestCase;
use Headroom\Tests\Support\Markdown\MarkdownPage;
use Headroom\Tests\Support\Markdown\Walkthrough;
use Headroom\Tests\Support\Sample;
use PHPUnit\Framework\Attributes\Test;

/**
 * docs/quickstart.md, done as a reader does it: a new Laravel application, its own server, scheduler and database.
 */
final class QuickstartTest extends DirectoryTestCase
{
    private ?Walkthrough $reader = null;

    protected function tearDown(): void
    {
        $this->reader?->closeTerminals();
        parent::tearDown();
    }

    #[Test]
    public function each_block_of_the_page_works_and_each_row_arrives_once(): void
    {
        $start = hrtime(true);
        $this->reader = $reader = NewLaravel::reader($this->directory, shortened: ! Sample::isWhole());
        $counts = [];

        foreach (MarkdownPage::at('docs/quickstart.md')->blocks() as $block) {
            if (str_contains($block->code, 'spool:status')) {
                NewLaravel::awaitDelivery($reader->directory());
            }

            // Of two short runs, most figures are too short to judge.
            $reader->follow($block, exits: str_contains($block->code, 'load:compare') ? [0, 1, 3] : [0]);

            if (str_contains($block->code, 'artisan serve')) {
                NewLaravel::serves($reader);
            } elseif (str_contains($block->code, '->count()')) {
                $counts[] = (int) $reader->output();
            }
        }

        $seconds = (hrtime(true) - $start) / 1e9;
        $reader->closeTerminals();
        $this->accountsForEachRow($reader->directory(), ...$counts);
        $this->record($reader->directory(), $seconds);
    }

    private function accountsForEachRow(string $application, int $before, int $after): void
    {
        $status = NewLaravel::status($application);
        self::assertSame([0, 0, 0], [$status['pending'], $status['dead'], $status['dropped']]);
        self::assertSame($status['accepted'], $status['delivered']);

        foreach (['before' => $before, 'after' => $status['accepted']] as $name => $rows) {
            $load = $this->load($application, $name);
            self::assertSame(['202' => $load['succeeded']], $load['statuses'], "{$name}: each answer is 202.");
            self::assertGreaterThan(0, $load['succeeded'], $name);
            // A request that the load generator no longer waited for may have written its row.
            self::assertGreaterThanOrEqual($load['succeeded'], $rows, $name);
            self::assertLessThanOrEqual($load['sent'], $rows, $name);
        }

        self::assertSame($before + $status['accepted'], $after);
        self::assertSame($after, NewLaravel::rows($application));
    }

    /** @return array{sent: int, succeeded: int, statuses: array<int, int>, requests_per_second: float} */
    private function load(string $application, string $name): array
    {
        /** @var array{sent: int, succeeded: int, statuses: array<int, int>, requests_per_second: float} */
        return json_decode((string) file_get_contents("{$application}/{$name}.json"), true, flags: JSON_THROW_ON_ERROR);
    }

    /** For the summary of dev/fresh.sh. */
    private function record(string $application, float $seconds): void
    {
        fprintf(
            STDERR,
            "\nquickstart: %.0f s, %.0f requests/s before, %.0f after\n",
            $seconds,
            $this->load($application, 'before')['requests_per_second'],
            $this->load($application, 'after')['requests_per_second'],
        );
    }
}
