<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Cli\Spool\DeadCommand;
use Headroom\Cli\Spool\FlushCommand;
use Headroom\Cli\Spool\StatusCommand;
use Headroom\Cli\Spool\VerifyCommand;
use Headroom\Tests\Laravel\Support\Outcome;
use Headroom\Tests\Laravel\Support\Spool;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * The table has no column "nocolumn", so an event with one is refused.
 */
final class DeadCommandTest extends TestCase
{
    private Spool $spool;

    protected function setUp(): void
    {
        $this->spool = new Spool;
    }

    protected function tearDown(): void
    {
        $this->spool->remove();
    }

    #[Test]
    public function without_letters_it_says_so(): void
    {
        self::assertSame([0, "api-events: no dead letters.\n"], [$this->dead()->exit, $this->dead()->out]);
        $this->spool->add(1);
        self::assertSame([0, "api-events: no dead letters.\n"], [$this->dead()->exit, $this->dead()->out]);
    }

    #[Test]
    public function the_flush_the_status_and_the_log_tell_of_them(): void
    {
        $this->refused('one');
        $this->spool->add(2);
        $flushed = $this->spool->run(FlushCommand::class);

        self::assertSame([0, "api-events: 2 delivered in 1 batch, 1 set aside as dead letters\n"], [$flushed->exit, $flushed->out]);
        self::assertStringContainsString('has no column named nocolumn', $flushed->err);
        self::assertStringContainsString('api-events: 1 dead letter: see `spool:dead api-events`', $this->spool->run(StatusCommand::class)->out);
        self::assertCount(1, $this->spool->logged);
        self::assertStringContainsString("bucket 'api-events': 1 event refused, now among the dead letters; the first because: ", $this->spool->logged[0]);
    }

    #[Test]
    public function list_shows_the_newest_with_place_and_reason(): void
    {
        array_map($this->refused(...), ['one', 'two', 'three']);
        $this->spool->run(FlushCommand::class);
        $listed = $this->dead('list', options: ['--limit' => '2']);

        self::assertSame(0, $listed->exit);
        self::assertSame(2, preg_match_all('/^\d{20}-\d{20}-\d{5}  died \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/m', $listed->out));
        self::assertSame(2, substr_count($listed->out, 'has no column named nocolumn'));
        self::assertStringContainsString('3 dead letters, the newest 2 are shown.', $listed->out);

        /** @var array{letters: int, shown: list<array{event: array{event: string}}>} $json */
        $json = json_decode($this->dead('list', options: ['--json' => true])->out, true, 8, JSON_THROW_ON_ERROR);
        self::assertSame(3, $json['letters']);
        self::assertSame(['one', 'two', 'three'], array_map(static fn (array $letter): string => $letter['event']['event'], $json['shown']));
    }

    #[Test]
    public function show_prints_one_by_its_place_or_id(): void
    {
        array_map($this->refused(...), ['one', 'two']);
        $this->spool->run(FlushCommand::class);
        [$place, $id] = $this->first();

        foreach ([$place, $id] as $name) {
            $shown = $this->dead('show', [$name]);
            self::assertSame(0, $shown->exit);
            self::assertStringContainsString('"event": "one"', $shown->out);
            self::assertStringNotContainsString('"event": "two"', $shown->out);
        }

        self::assertSame([1, "api-events: there is no such dead letter.\n"], [$this->dead('show', ['nobody'])->exit, $this->dead('show', ['nobody'])->err]);

        $json = json_decode($this->dead('show', options: ['--json' => true, '--all' => true])->out, true);
        self::assertSame(['bucket', 'letters', 'shown'], array_keys((array) $json), 'One document, however many are shown.');
        $missing = $this->dead('show', ['nobody'], ['--json' => true]);
        self::assertSame([1, ['error' => 'api-events: there is no such dead letter.'], ''], [$missing->exit, json_decode($missing->out, true), $missing->err]);
    }

    #[Test]
    public function retry_delivers_once_the_table_is_mended(): void
    {
        array_map($this->refused(...), ['one', 'two']);
        $this->spool->run(FlushCommand::class);
        $this->spool->database()->statement('alter table api_events add column nocolumn text');
        $retried = $this->dead('retry', options: ['--all' => true]);

        self::assertSame([0, "api-events: 2 events back in the log, for the next flush to deliver.\n"], [$retried->exit, $retried->out]);
        self::assertSame("api-events: 2 delivered in 1 batch\n", $this->spool->run(FlushCommand::class)->out);
        self::assertSame(2, $this->spool->count());
        $none = $this->dead('retry', options: ['--all' => true]);
        self::assertSame([0, "api-events: 0 events back in the log, for the next flush to deliver.\n"], [$none->exit, $none->out]);
        self::assertSame(0, $this->spool->run(StatusCommand::class)->exit);
    }

    #[Test]
    public function forget_removes_the_named_ones_only(): void
    {
        array_map($this->refused(...), ['one', 'two']);
        $this->spool->run(FlushCommand::class);
        [$place] = $this->first();
        $forgotten = $this->dead('forget', [$place]);

        self::assertSame([0, "api-events: 1 letter forgotten.\n"], [$forgotten->exit, $forgotten->out]);
        self::assertStringContainsString('1 dead letter.', $this->dead()->out);
        self::assertSame(0, $this->spool->run(StatusCommand::class)->exit, 'Accepted is still delivered, dead and pending.');
    }

    #[Test]
    public function export_prints_a_line_per_letter_and_keeps_them(): void
    {
        array_map($this->refused(...), ['one', 'two']);
        $this->spool->run(FlushCommand::class);
        $lines = explode("\n", trim($this->dead('export')->out));

        self::assertCount(2, $lines);
        self::assertSame(['event' => 'one', 'nocolumn' => 'x'], ((array) json_decode($lines[0], true))['event'] ?? null);
        self::assertStringContainsString('2 dead letters.', $this->dead()->out);
    }

    #[Test]
    public function a_letter_that_can_not_be_read_holds_no_other_back_and_can_be_forgotten(): void
    {
        array_map($this->refused(...), ['one', 'two', 'three']);
        $this->spool->run(FlushCommand::class);
        [$place] = $this->first();
        file_put_contents("{$this->spool->path}/buckets/api-events/dead/{$place}.json", '{"format":');

        $listed = $this->dead();
        self::assertSame(1, $listed->exit);
        self::assertStringContainsString('2 dead letters.', $listed->out);
        self::assertStringContainsString("{$place}.json can not be read: Syntax error. Restore it, or forget it; the others are not touched.", $listed->err);
        self::assertSame([1, 2], [$this->dead('export')->exit, substr_count($this->dead('export')->out, "\n")]);

        $this->spool->database()->statement('alter table api_events add column nocolumn text');
        $retried = $this->dead('retry', options: ['--all' => true]);
        self::assertSame([1, "api-events: 2 events back in the log, for the next flush to deliver.\n"], [$retried->exit, $retried->out]);
        $this->spool->run(FlushCommand::class);
        self::assertSame(2, $this->spool->count());
        self::assertSame([1, ''], [$this->dead('show', [$place])->exit, $this->dead('show', [$place])->out]);

        self::assertSame("api-events: 1 letter forgotten.\n", $this->dead('forget', [$place])->out);
        self::assertSame([0, "api-events: no dead letters.\n"], [$this->dead()->exit, $this->dead()->out]);
        self::assertSame(0, $this->spool->run(StatusCommand::class)->exit);
    }

    #[Test]
    public function wrong_usage_is_told(): void
    {
        $this->refused('one');
        $this->spool->run(FlushCommand::class);

        self::assertSame([2, "The action must be one of list, show, retry, forget, export; seen: \"bury\".\n"], [$this->dead('bury')->exit, $this->dead('bury')->err]);
        self::assertSame([2, "Name the letters, by place or id, or say --all.\n"], [$this->dead('retry')->exit, $this->dead('retry')->err]);
        self::assertSame(2, $this->spool->run(DeadCommand::class, ['bucket' => 'nowhere'])->exit);
        self::assertSame(2, $this->spool->run(DeadCommand::class, ['bucket' => '../etc'])->exit);
    }

    #[Test]
    public function what_a_server_says_can_not_write_to_the_terminal(): void
    {
        $database = $this->spool->database();
        $database->statement("alter table api_events add column \"no \x1b[31m way\" integer not null default 1");
        $database->statement("create unique index one on api_events (\"no \x1b[31m way\")");
        $this->spool->add(1);
        $this->spool->add(2);
        $flushed = $this->spool->run(FlushCommand::class);

        self::assertStringContainsString('no \e[31m way', $flushed->err);
        self::assertStringNotContainsString("\x1b", $this->dead()->out);
        self::assertStringNotContainsString("\x1b", $this->dead('list', options: ['--json' => true])->out);
    }

    #[Test]
    public function status_and_verify_count_alike_also_when_letters_were_retried_and_the_database_restored(): void
    {
        $this->spool->add(1);
        $this->spool->run(FlushCommand::class);
        $row = (array) $this->spool->database()->table('spool_ledger')->first();
        array_map($this->refused(...), ['a', 'c']);
        $this->spool->add(1);
        $this->spool->run(FlushCommand::class);
        $this->assertCountsAsTheStatus(dead: 2, pending: 0);
        $this->dead('retry', options: ['--all' => true]);
        $this->assertCountsAsTheStatus(dead: 0, pending: 2);
        $this->spool->run(FlushCommand::class);
        $this->assertCountsAsTheStatus(dead: 2, pending: 0);
        $this->dead('forget', options: ['--all' => true]);
        $this->assertCountsAsTheStatus(dead: 2, pending: 0);

        $this->spool->database()->table('spool_ledger')->update($row);
        $this->assertCountsAsTheStatus(dead: 2, pending: 1);
    }

    private function assertCountsAsTheStatus(int $dead, int $pending): void
    {
        $status = $this->spool->runtime()->status()->buckets[0];

        self::assertSame([4, $dead, $pending, 0], [$status->accepted, $status->dead, $status->pending, $status->missing]);
        $verified = $this->spool->run(VerifyCommand::class, ['--json' => true]);
        /** @var array{buckets: list<array<string, int>>} $json */
        $json = json_decode($verified->out, true, 8, JSON_THROW_ON_ERROR);
        self::assertSame(0, $verified->exit, $verified->out);
        self::assertSame(
            [$status->accepted, $status->delivered, $status->dead, $status->pending, $status->missing],
            array_map(static fn (string $number): int => $json['buckets'][0][$number], ['accepted', 'delivered', 'dead', 'pending', 'missing']),
        );
    }

    private function refused(string $event): void
    {
        $this->spool->runtime()->buffer()->bucket('api-events')->add(['event' => $event, 'nocolumn' => 'x']);
    }

    /** @return array{string, string} place and id of the first letter */
    private function first(): array
    {
        /** @var array{position: string, id: string} $letter */
        $letter = json_decode(explode("\n", $this->dead('export')->out)[0], true, 8, JSON_THROW_ON_ERROR);

        return [$letter['position'], $letter['id']];
    }

    /**
     * @param list<string> $letters
     * @param array<string, mixed> $options
     */
    private function dead(string $action = 'list', array $letters = [], array $options = []): Outcome
    {
        return $this->spool->run(DeadCommand::class, ['bucket' => 'api-events', 'action' => $action, 'letters' => $letters, ...$options]);
    }
}
