<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Console\Spool\DeadLetters\FailedCommand;
use Headroom\Console\Spool\DeadLetters\FailedExportCommand;
use Headroom\Console\Spool\DeadLetters\FailedShowCommand;
use Headroom\Console\Spool\DeadLetters\ForgetCommand;
use Headroom\Console\Spool\DeadLetters\RetryCommand;
use Headroom\Console\Spool\FlushCommand;
use Headroom\Console\Spool\StatusCommand;
use Headroom\Console\Spool\VerifyCommand;
use Headroom\Tests\Laravel\Support\Outcome;
use Headroom\Tests\Laravel\Support\SpoolTestCase;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;

/**
 * The table has no column "nocolumn", so an event with one is refused.
 */
#[Group('snapshot')]
final class DeadLetterCommandsTest extends SpoolTestCase
{
    #[Test]
    public function status_fails_above_the_dead_letters_that_are_allowed(): void
    {
        $this->spool->add(1);
        $this->refused('one');
        $this->spool->run(FlushCommand::class);
        $exit = fn (?string $most): int => $this->spool->run(
            StatusCommand::class,
            $most === null ? [] : ['--max-dead-letters' => $most],
        )->exit;

        self::assertSame([0, 1, 0], [$exit(null), $exit('0'), $exit('1')]);
    }

    #[Test]
    public function without_letters_it_says_so(): void
    {
        self::assertSame([0, 0], [$this->dead()->exit, $this->letters()]);
        Snapshot::assertPrinted('spool:failed', 'there are none', $this->dead()->out);
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
        self::assertStringContainsString('`spool:failed api-events`', $this->spool->run(StatusCommand::class)->out);
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
        self::assertSame(
            2,
            preg_match_all('/^api-events:\d+-\d+-\d+ .* \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/m', $listed->out),
        );
        self::assertSame(2, substr_count($listed->out, 'has no column named nocolumn'));
        self::assertMatchesRegularExpression('/^3 .* 2 .*`spool:retry --bucket=api-events`/m', $listed->out);
        Snapshot::assertPrinted('spool:failed', 'the newest of the list', $listed->out);

        /** @var array{letters: int, shown: list<array{event: array{event: string}}>} $json */
        $json = json_decode($this->dead('list', options: ['--json' => true])->out, true, 8, JSON_THROW_ON_ERROR);
        self::assertSame(3, $json['letters']);
        self::assertSame(
            ['one', 'two', 'three'],
            array_map(static fn (array $letter): string => $letter['event']['event'], $json['shown']),
        );
    }

    #[Test]
    public function show_prints_one_by_its_place_or_id(): void
    {
        array_map($this->refused(...), ['one', 'two']);
        $this->spool->run(FlushCommand::class, ['--bury' => true]);
        [$letter, $event, $place] = $this->first();

        foreach ([$letter, $event, "api-events:{$place}"] as $name) {
            $shown = $this->dead('show', [$name]);
            self::assertSame(0, $shown->exit);
            self::assertStringContainsString('"event": "one"', $shown->out);
            self::assertStringNotContainsString('"event": "two"', $shown->out);
        }

        $missing = $this->dead('show', ['none']);
        self::assertSame([1, ''], [$missing->exit, $missing->out]);
        Snapshot::assertPrinted('spool:failed:show', 'no such dead letter', $missing->err);

        $json = json_decode($this->dead('show', ['all'], ['--json' => true])->out, true);
        self::assertSame(['letters', 'shown'], array_keys((array) $json), 'One document, however many are shown.');
        $missing = $this->dead('show', ['none'], ['--json' => true]);
        $document = (array) json_decode($missing->out, true);
        self::assertSame([1, ['error'], ''], [$missing->exit, array_keys($document), $missing->err]);
    }

    #[Test]
    public function retry_delivers_once_the_table_is_repaired(): void
    {
        array_map($this->refused(...), ['one', 'two']);
        $this->spool->run(FlushCommand::class, ['--bury' => true]);
        $this->spool->database()->statement('alter table api_events add column nocolumn text');
        $retried = $this->dead('retry', ['all']);

        self::assertSame([0, [2]], [$retried->exit, $retried->numbers()]);
        Snapshot::assertPrinted('spool:retry', 'dead letters are retried', $retried->out);
        self::assertSame([2, 1], $this->spool->run(FlushCommand::class)->numbers());
        self::assertSame(2, $this->spool->count());
        $none = $this->dead('retry', ['all']);
        self::assertSame([0, []], [$none->exit, $none->numbers()]);
        self::assertSame(0, $this->spool->run(StatusCommand::class)->exit);
    }

    #[Test]
    public function forget_removes_the_named_ones_only(): void
    {
        array_map($this->refused(...), ['one', 'two']);
        $this->spool->run(FlushCommand::class, ['--bury' => true]);
        [$letter] = $this->first();
        $forgotten = $this->dead('forget', [$letter]);

        self::assertSame([0, [1]], [$forgotten->exit, $forgotten->numbers()]);
        Snapshot::assertPrinted('spool:forget', 'a dead letter is deleted', $forgotten->out);
        self::assertSame(1, $this->letters());
        self::assertSame(
            0,
            $this->spool->run(StatusCommand::class)->exit,
            'Accepted is still delivered, dead and pending.',
        );
    }

    #[Test]
    public function export_prints_a_line_per_letter_and_keeps_them(): void
    {
        array_map($this->refused(...), ['one', 'two']);
        $this->spool->run(FlushCommand::class, ['--bury' => true]);
        $lines = explode("\n", trim($this->dead('export')->out));

        self::assertCount(2, $lines);
        self::assertSame(
            ['event' => 'one', 'nocolumn' => 'x'],
            ((array) json_decode($lines[0], true))['event'] ?? null,
        );
        self::assertSame(2, $this->letters());
    }

    #[Test]
    public function an_unreadable_letter_holds_no_other_back_and_can_be_forgotten(): void
    {
        array_map($this->refused(...), ['one', 'two', 'three']);
        $this->spool->run(FlushCommand::class, ['--bury' => true]);
        [$letter, , $place] = $this->first();
        file_put_contents("{$this->spool->path}/buckets/api-events/dead/{$place}.json", '{"format":');

        $listed = $this->dead();
        self::assertSame(1, $listed->exit);
        self::assertMatchesRegularExpression('/^2 /m', $listed->out);
        self::assertStringContainsString("{$place}.json", $listed->err);
        self::assertStringContainsString('Syntax error', $listed->err);
        Snapshot::assertPrinted('spool:failed', 'a dead letter is damaged', $listed->all());
        self::assertSame([1, 2], [$this->dead('export')->exit, substr_count($this->dead('export')->out, "\n")]);

        $this->spool->database()->statement('alter table api_events add column nocolumn text');
        $retried = $this->dead('retry', ['all']);
        self::assertSame([1, [2]], [$retried->exit, $retried->numbers()]);
        $this->spool->run(FlushCommand::class, ['--bury' => true]);
        self::assertSame(2, $this->spool->count());
        self::assertSame([1, ''], [$this->dead('show', [$letter])->exit, $this->dead('show', [$letter])->out]);

        self::assertSame([1], $this->dead('forget', [$letter])->numbers());
        self::assertSame([0, 0], [$this->dead()->exit, $this->letters()]);
        self::assertSame(0, $this->spool->run(StatusCommand::class)->exit);
    }

    #[Test]
    public function an_id_names_one_dead_letter_among_all_buckets(): void
    {
        $this->spool->buckets['other'] = ['sink' => 'database', 'table' => 'api_events'];
        array_map($this->refused(...), ['one', 'two']);
        $this->refused('three', 'other');
        $this->spool->run(FlushCommand::class, ['--bury' => true]);
        $listed = $this->spool->run(FailedCommand::class);
        preg_match_all('/^(\S+)  died /m', $listed->out, $ids);

        self::assertCount(3, array_unique($ids[1]));
        self::assertSame(['api-events', 'api-events', 'other'], $this->buckets($ids[1]));

        $forgotten = $this->spool->run(ForgetCommand::class, ['id' => [$ids[1][0], 'other:9-9-9'], '--json' => true]);
        $document = (array) json_decode($forgotten->out, true);
        self::assertSame([1, 1, ['other:9-9-9']], [$forgotten->exit, $document['letters'], $document['missing']]);

        $this->spool->database()->statement('alter table api_events add column nocolumn text');
        $retried = $this->spool->run(RetryCommand::class, ['--bucket' => 'other']);
        self::assertSame([0, [1]], [$retried->exit, $retried->numbers()]);
        $this->spool->run(FlushCommand::class);
        self::assertSame([1, 1], [$this->spool->count(), $this->letters()]);
    }

    #[Test]
    public function a_bucket_that_cannot_be_read_hides_no_other(): void
    {
        $this->spool->buckets['other'] = ['sink' => 'database', 'table' => 'api_events'];
        $this->refused('one');
        $this->spool->add(1, 'other');
        $this->spool->run(FlushCommand::class, ['--bury' => true]);
        mkdir(
            "{$this->spool->path}/buckets/other/dead/00000000000000000001-00000000000000000000-00000.json",
            recursive: true,
        );
        $listed = $this->spool->run(FailedCommand::class);

        self::assertSame([1, 1], [$listed->exit, preg_match_all('/ died /', $listed->out)]);
        self::assertStringContainsString('other', $listed->err);
    }

    #[Test]
    public function wrong_usage_is_told(): void
    {
        $this->refused('one');
        $this->spool->run(FlushCommand::class, ['--bury' => true]);

        foreach (['show', 'retry', 'forget'] as $action) {
            self::assertSame(2, $this->dead($action)->exit, $action);
        }

        $unnamed = $this->dead('retry');
        self::assertStringContainsString('--bucket', $unnamed->err);
        Snapshot::assertPrinted('spool:retry', 'wrong usage', $unnamed->err);
        self::assertSame([2, 1], [$this->dead('forget', ['all', 'api-events:1-1-1'])->exit, $this->letters()]);
        $nowhere = $this->spool->run(FailedCommand::class, ['bucket' => 'nowhere']);
        self::assertSame(2, $nowhere->exit);
        self::assertStringContainsString('api-events', $nowhere->err);
        self::assertSame(2, $this->spool->run(FailedCommand::class, ['bucket' => '../etc'])->exit);
        self::assertSame(2, $this->dead('retry', ['../etc:1-1-1'])->exit);
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
        $this->dead('retry', ['all']);
        $this->assertCountsAsTheStatus(dead: 0, pending: 2);
        $this->spool->run(FlushCommand::class, ['--bury' => true]);
        $this->assertCountsAsTheStatus(dead: 2, pending: 0);
        $this->dead('forget', ['all']);
        $this->assertCountsAsTheStatus(dead: 2, pending: 0);

        $this->spool->database()->table('spool_ledger')->update($row);
        $this->assertCountsAsTheStatus(dead: 2, pending: 1);
    }

    private function assertCountsAsTheStatus(int $dead, int $pending): void
    {
        $status = $this->spool->runtime()->status()->buckets[0];

        self::assertSame(
            [4, $dead, $pending, 0],
            [$status->events->accepted, $status->events->dead, $status->events->pending, $status->events->missing],
        );
        $verified = $this->spool->run(VerifyCommand::class, ['--json' => true]);
        /** @var array{buckets: list<array<string, int>>} $json */
        $json = json_decode($verified->out, true, 8, JSON_THROW_ON_ERROR);
        self::assertSame(0, $verified->exit, $verified->out);
        self::assertSame(
            [
                $status->events->accepted,
                $status->events->delivered,
                $status->events->dead,
                $status->events->pending,
                $status->events->missing,
            ],
            array_map(
                static fn (string $number): int => $json['buckets'][0][$number],
                ['accepted', 'delivered', 'dead', 'pending', 'missing'],
            ),
        );
    }

    private function letters(): mixed
    {
        return ((array) json_decode($this->dead('list', options: ['--json' => true])->out, true))['letters'] ?? null;
    }

    /**
     * @param list<string> $ids
     * @return list<string>
     */
    private function buckets(array $ids): array
    {
        $buckets = array_map(static fn (string $id): string => explode(':', $id)[0], $ids);
        sort($buckets);

        return $buckets;
    }

    private function refused(string $event, string $bucket = 'api-events'): void
    {
        $this->spool->runtime()->buffer()->bucket($bucket)->add(['event' => $event, 'nocolumn' => 'x']);
    }

    /** @return array{string, string, string} ids of the first dead letter and of its event, and its place */
    private function first(): array
    {
        /** @var array{letter: string, position: string, id: string} $letter */
        $letter = json_decode(explode("\n", $this->dead('export')->out)[0], true, 8, JSON_THROW_ON_ERROR);

        return [$letter['letter'], $letter['id'], $letter['position']];
    }

    /**
     * @param list<string> $ids
     * @param array<string, mixed> $options
     */
    private function dead(string $action = 'list', array $ids = [], array $options = []): Outcome
    {
        return match ($action) {
            'show' => $this->spool->run(FailedShowCommand::class, ['id' => $ids, ...$options]),
            'export' => $this->spool->run(FailedExportCommand::class, ['id' => $ids, ...$options]),
            'retry' => $this->spool->run(RetryCommand::class, ['id' => $ids, ...$options]),
            'forget' => $this->spool->run(ForgetCommand::class, ['id' => $ids, ...$options]),
            default => $this->spool->run(FailedCommand::class, ['bucket' => 'api-events', ...$options]),
        };
    }
}
