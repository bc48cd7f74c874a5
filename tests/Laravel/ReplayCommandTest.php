<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Console\Spool\FlushCommand;
use Headroom\Console\Spool\ReplayCommand;
use Headroom\Tests\Laravel\Support\Outcome;
use Headroom\Tests\Laravel\Support\SpoolTestCase;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;

#[Group('snapshot')]
final class ReplayCommandTest extends SpoolTestCase
{
    protected function setUp(): void
    {
        parent::setUp();
        $this->spool->add(3);
        $this->spool->run(FlushCommand::class);
    }

    #[Test]
    public function a_dry_run_says_what_would_happen(): void
    {
        $replayed = $this->replay(['--from-start' => true, '--dry-run' => true]);

        self::assertSame(0, $replayed->exit);
        self::assertSame([3, 3], $replayed->numbers());
        Snapshot::assertPrinted('spool:replay', 'a dry run', $replayed->out);
        $this->spool->run(FlushCommand::class);
        self::assertSame(3, $this->spool->count());
    }

    #[Test]
    public function delivering_twice_has_to_be_asked_for(): void
    {
        $replayed = $this->replay(['--from-start' => true]);
        self::assertSame(1, $replayed->exit);
        self::assertStringContainsString('--again', $replayed->out);

        self::assertSame(0, $this->replay(['--from-start' => true, '--again' => true])->exit);
        $this->spool->run(FlushCommand::class);
        self::assertSame(6, $this->spool->count());
    }

    #[Test]
    public function after_a_change_of_database_the_flush_names_the_command_that_goes_on(): void
    {
        $this->spool->database()->table('spool_ledger')->delete();
        $this->spool->add(1);
        self::assertStringContainsString(
            '`spool:replay api-events --from-now`',
            $this->spool->run(FlushCommand::class)->err,
        );
        $replayed = $this->replay(['--from-now' => true, '--json' => true]);

        self::assertSame(0, $replayed->exit);
        /** @var array<string, mixed> $json */
        $json = json_decode($replayed->out, true, 4, JSON_THROW_ON_ERROR);
        self::assertSame(
            ['bucket' => 'api-events', 'again' => 0, 'unknown' => 0, 'waiting' => 1, 'done' => true],
            array_diff_key($json, ['cursor' => 1]),
        );
        self::assertSame([1, 1], $this->spool->run(FlushCommand::class)->numbers());
        self::assertSame(4, $this->spool->count());
    }

    /** @param array<string, mixed> $options */
    #[Test]
    #[TestWith([[], '/--from-start.*--from-now.*--since=/'])]
    #[TestWith([['--from-start' => true, '--from-now' => true], '/--from-start.*--from-now.*--since=/'])]
    #[TestWith([['--since' => 'yesteryear'], "/--since .*'yesteryear'/"])]
    #[TestWith([['--from-start' => true, 'bucket' => 'nowhere'], "/'nowhere'/"])]
    public function wrong_usage_is_told(array $options, string $said): void
    {
        $replayed = $this->replay($options);

        self::assertSame(2, $replayed->exit);
        self::assertMatchesRegularExpression($said, $replayed->err);
    }

    /** @param array<string, mixed> $options */
    private function replay(array $options): Outcome
    {
        return $this->spool->run(ReplayCommand::class, ['bucket' => 'api-events', ...$options]);
    }
}
