<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Console\Spool\DeadCommand;
use Headroom\Console\Spool\FlushCommand;
use Headroom\Console\Spool\StatusCommand;
use Headroom\Console\Spool\VerifyCommand;
use Headroom\Tests\Laravel\Support\Outcome;
use Headroom\Tests\Laravel\Support\Spool;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * The table has no column "nocolumn", so an event with one is refused.
 */
#[Group('snapshot')]
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
        self::assertSame([0, 0], [$this->dead()->exit, $this->letters()]);
        Snapshot::assertPrinted('spool:dead', 'there are none', $this->dead()->out);
        $this->spool->add(1);
        self::assertSame([0, 0], [$this->dead()->exit, $this->letters()]);
    }

    #[Test]
    public function the_flush_the_status_and_the_log_tell_of_them(): void
    {
        $this->refused('one');
        $this->spool->add(2);
        $flushed = $this->spool->run(FlushCommand::class);

        self::assertSame([0, [2, 1, 1]], [$flushed->exit, $flushed->numbers()]);
        self::assertStringContainsString('has no column named nocolumn', $flushed->err);
        self::assertStringContainsString('`spool:dead api-events`', $this->spool->run(StatusCommand::class)->out);
        self::assertCount(1, $this->spool->logged);
        self::assertStringContainsString("'api-events': 1 ", $this->spool->logged[0]);
        Snapshot::assertPrinted('spool:flush', 'an event was refused', $flushed->all());
        Snapshot::assertPrinted('the log', 'an event was refused', $this->spool->logged[0]);
    }

    #[Test]
    public function list_shows_the_newest_with_place_and_reason(): void
    {
        array_map($this->refused(...), ['one', 'two', 'three']);
        $this->spool->run(FlushCommand::class, ['--bury' => true]);
        $listed = $this->dead('list', options: ['--limit' => '2']);

        self::assertSame(0, $listed->exit);
        self::assertSame(2, preg_match_all('/^\d{20}-\d{20}-\d{5} .* \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/m', $listed->out));
        self::assertSame(2, substr_count($listed->out, 'has no column named nocolumn'));
        self::assertMatchesRegularExpression('/^3 .* 2 .*`spool:dead api-events show /m', $listed->out);
        Snapshot::assertPrinted('spool:dead', 'the newest of the list', $listed->out);

        /** @var array{letters: int, shown: list<array{event: array{event: string}}>} $json */
        $json = json_decode($this->dead('list', options: ['--json' => true])->out, true, 8, JSON_THROW_ON_ERROR);
        self::assertSame(3, $json['letters']);
        self::assertSame(['one', 'two', 'three'], array_map(static fn (array $letter): string => $letter['event']['event'], $json['shown']));
    }

    #[Test]
    public function show_prints_one_by_its_place_or_id(): void
    {
        array_map($this->refused(...), ['one', 'two']);
        $this->spool->run(FlushCommand::class, ['--bury' => true]);
        [$place, $id] = $this->first();

        foreach ([$place, $id] as $name) {
            $shown = $this->dead('show', [$name]);
            self::assertSame(0, $shown->exit);
            self::assertStringContainsString('"event": "one"', $shown->out);
            self::assertStringNotContainsString('"event": "two"', $shown->out);
        }

        $missing = $this->dead('show', ['nobody']);
        self::assertSame([1, ''], [$missing->exit, $missing->out]);
        Snapshot::assertPrinted('spool:dead', 'no such letter', $missing->err);

        $json = json_decode($this->dead('show', options: ['--json' => true, '--all' => true])->out, true);
        self::assertSame(['bucket', 'letters', 'shown'], array_keys((array) $json), 'One document, however many are shown.');
        $missing = $this->dead('show', ['nobody'], ['--json' => true]);
        $document = (array) json_decode($missing->out, true);
        self::assertSame([1, ['error'], ''], [$missing->exit, array_keys($document), $missing->err]);
    }

    #[Test]
    public function retry_delivers_once_the_table_is_repaired(): void
    {
        array_map($this->refused(...), ['one', 'two']);
        $this->spool->run(FlushCommand::class, ['--bury' => true]);
        $this->spool->database()->statement('alter table api_events add column nocolumn text');
        $retried = $this->dead('retry', options: ['--all' => true]);

        self::assertSame([0, [2]], [$retried->exit, $retried->numbers()]);
        Snapshot::assertPrinted('spool:dead', 'letters are retried', $retried->out);
        self::assertSame([2, 1], $this->spool->run(FlushCommand::class)->numbers());
        self::assertSame(2, $this->spool->count());
        $none = $this->dead('retry', options: ['--all' => true]);
        self::assertSame([0, [0]], [$none->exit, $none->numbers()]);
        self::assertSame(0, $this->spool->run(StatusCommand::class)->exit);
    }

    #[Test]
    public function forget_removes_the_named_ones_only(): void
    {
        array_map($this->refused(...), ['one', 'two']);
        $this->spool->run(FlushCommand::class, ['--bury' => true]);
        [$place] = $this->first();
        $forgotten = $this->dead('forget', [$place]);

        self::assertSame([0, [1]], [$forgotten->exit, $forgotten->numbers()]);
        Snapshot::assertPrinted('spool:dead', 'a letter is forgotten', $forgotten->out);
        self::assertSame(1, $this->letters());
        self::assertSame(0, $this->spool->run(StatusCommand::class)->exit, 'Accepted is still delivered, dead and pending.');
    }

    #[Test]
    public function export_prints_a_line_per_letter_and_keeps_them(): void
    {
        array_map($this->refused(...), ['one', 'two']);
        $this->spool->run(FlushCommand::class, ['--bury' => true]);
        $lines = explode("\n", trim($this->dead('export')->out));

        self::assertCount(2, $lines);
        self::assertSame(['event' => 'one', 'nocolumn' => 'x'], ((array) json_decode($lines[0], true))['event'] ?? null);
        self::assertSame(2, $this->letters());
    }

    #[Test]
    public function an_unreadable_letter_holds_no_other_back_and_can_be_forgotten(): void
    {
        array_map($this->refused(...), ['one', 'two', 'three']);
        $this->spool->run(FlushCommand::class, ['--bury' => true]);
        [$place] = $this->first();
        file_put_contents("{$this->spool->path}/buckets/api-events/dead/{$place}.json", '{"format":');

        $listed = $this->dead();
        self::assertSame(1, $listed->exit);
        self::assertMatchesRegularExpression('/^2 /m', $listed->out);
        self::assertStringContainsString("{$place}.json", $listed->err);
        self::assertStringContainsString('Syntax error', $listed->err);
        Snapshot::assertPrinted('spool:dead', 'a letter is damaged', $listed->all());
        self::assertSame([1, 2], [$this->dead('export')->exit, substr_count($this->dead('export')->out, "\n")]);

        $this->spool->database()->statement('alter table api_events add column nocolumn text');
        $retried = $this->dead('retry', options: ['--all' => true]);
        self::assertSame([1, [2]], [$retried->exit, $retried->numbers()]);
        $this->spool->run(FlushCommand::class, ['--bury' => true]);
        self::assertSame(2, $this->spool->count());
        self::assertSame([1, ''], [$this->dead('show', [$place])->exit, $this->dead('show', [$place])->out]);

        self::assertSame([1], $this->dead('forget', [$place])->numbers());
        self::assertSame([0, 0], [$this->dead()->exit, $this->letters()]);
        self::assertSame(0, $this->spool->run(StatusCommand::class)->exit);
    }

    #[Test]
    public function wrong_usage_is_told(): void
    {
        $this->refused('one');
        $this->spool->run(FlushCommand::class, ['--bury' => true]);

        $unknown = $this->dead('bury');
        self::assertSame(2, $unknown->exit);
        self::assertStringContainsString('list, show, retry, forget, export', $unknown->err);
        self::assertStringContainsString('"bury"', $unknown->err);
        $unnamed = $this->dead('retry');
        self::assertSame(2, $unnamed->exit);
        self::assertStringContainsString('--all', $unnamed->err);
        Snapshot::assertPrinted('spool:dead', 'wrong usage', $unknown->err.$unnamed->err);
        $nowhere = $this->spool->run(DeadCommand::class, ['bucket' => 'nowhere']);
        self::assertSame(2, $nowhere->exit);
        self::assertStringNotContainsString('kept', $nowhere->err);
        self::assertStringContainsString('api-events', $nowhere->err);
        self::assertSame(2, $this->spool->run(DeadCommand::class, ['bucket' => '../etc'])->exit);
    }

    #[Test]
    public function the_words_of_a_server_cannot_write_to_the_terminal(): void
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
    public function status_and_verify_count_alike_after_a_retry_and_a_restored_database(): void
    {
        $this->spool->add(1);
        $this->spool->run(FlushCommand::class, ['--bury' => true]);
        $row = (array) $this->spool->database()->table('spool_ledger')->first();
        array_map($this->refused(...), ['a', 'c']);
        $this->spool->add(1);
        $this->spool->run(FlushCommand::class, ['--bury' => true]);
        $this->assertCountsAsTheStatus(dead: 2, pending: 0);
        $this->dead('retry', options: ['--all' => true]);
        $this->assertCountsAsTheStatus(dead: 0, pending: 2);
        $this->spool->run(FlushCommand::class, ['--bury' => true]);
        $this->assertCountsAsTheStatus(dead: 2, pending: 0);
        $this->dead('forget', options: ['--all' => true]);
        $this->assertCountsAsTheStatus(dead: 2, pending: 0);

        $this->spool->database()->table('spool_ledger')->update($row);
        $this->assertCountsAsTheStatus(dead: 2, pending: 1);
    }

    private function assertCountsAsTheStatus(int $dead, int $pending): void
    {
        $status = $this->spool->runtime()->status()->buckets[0];

        self::assertSame([4, $dead, $pending, 0], [$status->events->accepted, $status->events->dead, $status->events->pending, $status->events->missing]);
        $verified = $this->spool->run(VerifyCommand::class, ['--json' => true]);
        /** @var array{buckets: list<array<string, int>>} $json */
        $json = json_decode($verified->out, true, 8, JSON_THROW_ON_ERROR);
        self::assertSame(0, $verified->exit, $verified->out);
        self::assertSame(
            [$status->events->accepted, $status->events->delivered, $status->events->dead, $status->events->pending, $status->events->missing],
            array_map(static fn (string $number): int => $json['buckets'][0][$number], ['accepted', 'delivered', 'dead', 'pending', 'missing']),
        );
    }

    private function letters(): mixed
    {
        return ((array) json_decode($this->dead('list', options: ['--json' => true])->out, true))['letters'] ?? null;
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
