<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Console\Spool\FlushCommand;
use Headroom\Console\Spool\HealthCommand;
use Headroom\Console\Spool\RetireCommand;
use Headroom\Console\Spool\StatusCommand;
use Headroom\Core\Finding;
use Headroom\Tests\Laravel\Support\Outcome;
use Headroom\Tests\Laravel\Support\SpoolTestCase;
use PHPUnit\Framework\Attributes\Test;

/**
 * A bucket that was removed from the configuration.
 */
final class RetireCommandTest extends SpoolTestCase
{
    private const BUCKETS = ['api-events' => ['sink' => 'database', 'table' => 'api_events']];

    protected function setUp(): void
    {
        parent::setUp();
        $this->spool->buckets = self::BUCKETS;

        for ($i = 0; $i < 3; $i++) {
            $this->spool->add(1);
            $this->spool->run(FlushCommand::class);
        }
    }

    #[Test]
    public function an_empty_one_is_a_note_until_it_is_retired(): void
    {
        $this->spool->buckets = [];

        self::assertSame([[false, true]], array_map(
            static fn (Finding $note): array => [$note->fatal, str_contains($note->fix, 'spool:retire api-events')],
            $this->notes(),
        ));
        $status = $this->spool->run(StatusCommand::class);
        self::assertSame(0, $status->exit);
        self::assertStringContainsString('`spool:retire api-events`', $status->out);

        self::assertSame(0, $this->retire()->exit);
        self::assertSame([], $this->notes());
        self::assertStringNotContainsString('api-events', $this->spool->run(HealthCommand::class)->all());
        self::assertStringNotContainsString('api-events', $this->spool->run(StatusCommand::class)->out);
        self::assertCount(1, (array) glob("{$this->spool->path}/buckets/api-events/completed/*.seg"));
    }

    #[Test]
    public function one_that_is_declared_again_goes_on_where_its_ledger_is(): void
    {
        $this->spool->buckets = [];
        $this->retire();
        $this->spool->buckets = self::BUCKETS;
        $this->spool->add(2);

        self::assertSame(0, $this->spool->run(FlushCommand::class)->exit);
        self::assertSame(5, $this->spool->count());
        self::assertSame([], $this->spool->problems());
    }

    #[Test]
    public function one_in_which_events_wait_stays_and_fails_the_health_check(): void
    {
        $this->spool->add(1);
        $this->spool->buckets = [];

        self::assertSame(['ok' => false, 'bucket' => 'api-events', 'outcome' => 'events_wait'], $this->answer());
        self::assertSame(1, $this->spool->run(HealthCommand::class)->exit);
        self::assertStringContainsString('has pending events', $this->retire()->err);
    }

    #[Test]
    public function one_in_which_dead_letters_or_damaged_bytes_are_kept_stays(): void
    {
        $this->spool->buckets = [];
        $letter = "{$this->spool->path}/buckets/api-events/dead/00000000000000000001-00000000000000000000-00000.json";
        file_put_contents($letter, '{}');
        self::assertSame('dead_letters_wait', $this->answer()['outcome']);
        unlink($letter);
        file_put_contents("{$this->spool->path}/buckets/api-events/quarantine/damaged.bin", 'x');
        self::assertSame('quarantined', $this->answer()['outcome']);
    }

    #[Test]
    public function one_that_is_declared_or_being_flushed_stays(): void
    {
        self::assertSame('declared', $this->answer()['outcome']);
        $this->spool->buckets = [];
        $lease = $this->spool->runtime()->store()->claim('api-events');
        self::assertNotNull($lease);
        self::assertSame('busy', $this->answer()['outcome']);
    }

    #[Test]
    public function one_that_never_was_is_wrong_usage(): void
    {
        self::assertSame(2, $this->spool->run(RetireCommand::class, ['bucket' => 'api-event'])->exit);
    }

    /** @return list<Finding> */
    private function notes(): array
    {
        $isOfBucket = static fn (Finding $finding): bool => $finding->subject === 'bucket api-events';

        return array_values(array_filter($this->spool->problems(), $isOfBucket));
    }

    private function retire(): Outcome
    {
        return $this->spool->run(RetireCommand::class, ['bucket' => 'api-events']);
    }

    /** @return array<array-key, mixed> */
    private function answer(): array
    {
        $outcome = $this->spool->run(RetireCommand::class, ['bucket' => 'api-events', '--json' => true]);
        self::assertSame(1, $outcome->exit);

        return (array) json_decode($outcome->out, true, flags: JSON_THROW_ON_ERROR);
    }
}
