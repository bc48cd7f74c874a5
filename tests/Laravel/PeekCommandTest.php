<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use DateTimeImmutable;
use Headroom\Console\Spool\FlushCommand;
use Headroom\Console\Spool\PeekCommand;
use Headroom\Tests\Laravel\Support\Outcome;
use Headroom\Tests\Laravel\Support\SpoolTestCase;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;

#[Group('snapshot')]
final class PeekCommandTest extends SpoolTestCase
{
    #[Test]
    public function it_shows_what_the_next_flush_delivers_in_that_order(): void
    {
        $this->spool->add(5);
        $this->spool->run(FlushCommand::class, ['--limit' => '2']);
        $this->append(['event' => 'in a slot']);
        $peeked = $this->peeked();

        self::assertSame(
            ['event-2', 'event-3', 'event-4', 'in a slot'],
            array_map(static fn (array $event): mixed => ((array) $event['values'])['event'], $peeked),
        );
        self::assertSame(['sealed', 'sealed', 'sealed', 'active'], array_column($peeked, 'state'));
        self::assertNull($peeked[3]['id'], 'It gets its place, and its id with it, when it is sealed.');
        $node = (string) file_get_contents("{$this->spool->path}/node");
        self::assertIsString($peeked[0]['place']);
        self::assertIsString($peeked[0]['id']);
        self::assertSame("{$node}/api-events/{$peeked[0]['place']}", dirname($peeked[0]['id']));

        $this->spool->run(FlushCommand::class);
        self::assertSame([[], 0], [$this->peeked(), $this->peek()->exit]);
        Snapshot::assertPrinted('spool:peek', 'everything is delivered', $this->peek()->out);
    }

    #[Test]
    public function the_cursor_can_stand_between_two_events_of_one_append(): void
    {
        $this->spool->runtime()
            ->buffer()
            ->bucket('api-events')
            ->addMany([['event' => 'a'], ['event' => 'b'], ['event' => 'c']]);
        $this->spool->run(FlushCommand::class, ['--limit' => '1']);

        self::assertSame(
            ['b', 'c'],
            array_map(static fn (array $event): mixed => ((array) $event['values'])['event'], $this->peeked()),
        );
    }

    #[Test]
    public function the_limit_holds_and_says_that_there_is_more(): void
    {
        $this->spool->add(12);

        self::assertCount(10, $this->peeked());
        Snapshot::assertPrinted('spool:peek', 'more is waiting', $this->peek()->out);
        self::assertCount(3, $this->peeked(['--limit' => '3']));
        Snapshot::assertPrinted('spool:peek', 'all that waits', $this->peek(['--limit' => '12'])->out);
    }

    #[Test]
    public function it_changes_nothing(): void
    {
        $this->spool->add(1);
        $before = [
            (array) glob("{$this->spool->path}/buckets/*/*"), (array) glob("{$this->spool->path}/buckets/*/*/*"),
        ];
        $this->peek();

        self::assertSame(
            $before,
            [(array) glob("{$this->spool->path}/buckets/*/*"), (array) glob("{$this->spool->path}/buckets/*/*/*")],
        );
        $lease = $this->spool->runtime()->store()->claim('api-events');
        self::assertNotNull($lease);
        self::assertCount(1, $this->peeked(), 'No reader has to wait for a flush.');
    }

    #[Test]
    public function no_byte_of_a_value_is_a_command_to_the_terminal(): void
    {
        $this->spool->buckets = ['api-events' => ['sink' => 'database', 'table' => 'api_events', 'utf8' => 'binary']];
        $this->append([
            "col\x1Bumn\n" => "\x1B]0;title\x07\x1B[2J \u{202E}gnp.exe \u{9B}31m \x7F <error>tag</error> \\ \" end",
            'bytes' => "\xFF\x1B[31m\x00",
            'json' => ["\x1B" => "\u{2028}\x7F"],
        ]);
        $out = $this->peek()->out;

        self::assertSame(0, preg_match('/[^\x20-\x7E\n]/', $out), $out);
        self::assertStringContainsString(
            '  col\u{1B}umn\u{A}: "\u{1B}]0;title\u{7}\u{1B}[2J \u{202E}gnp.exe \u{9B}31m \u{7F} <error>tag</error>'
                .' \\\\ \" end"',
            $out,
        );
        self::assertStringContainsString('  bytes: "\xFF\x1B[31m\x00"', $out);

        $json = $this->peek(['--json' => true])->out;
        self::assertSame(0, preg_match('/[^\x20-\x7E\n]/', $json), $json);
        self::assertSame(
            ['base64' => base64_encode("\xFF\x1B[31m\x00")],
            ((array) $this->peeked()[0]['values'])['bytes'],
        );
    }

    #[Test]
    public function long_values_are_cut_with_their_length_said_and_whole_in_json(): void
    {
        $text = str_repeat('ä', 500);
        $this->append([
            'event' => $text,
            'json' => ['a' => str_repeat('x', 500)],
            'when' => new DateTimeImmutable('2026-02-03 04:05:06.5 UTC'),
            'none' => null,
            'yes' => true,
            'half' => 1.0,
        ]);
        $out = $this->peek()->out;

        self::assertStringContainsString('  event: "'.str_repeat('ä', 100).'" ... (1,000 bytes)', $out);
        self::assertMatchesRegularExpression('/  json: \{"a":"x+ \.\.\. \(508 bytes\)/', $out);
        self::assertStringContainsString(
            "  when: 2026-02-03 04:05:06.500000+00:00\n  none: null\n  yes: true\n  half: 1.0\n",
            $out,
        );
        self::assertSame($text, ((array) $this->peeked()[0]['values'])['event']);
    }

    #[Test]
    public function damage_is_shown_in_its_place(): void
    {
        $this->spool->add(3);
        $slot = (string) ((array) glob("{$this->spool->path}/buckets/*/active/*"))[0];
        file_put_contents($slot, str_replace('event-1', 'event-X', (string) file_get_contents($slot)));
        $peeked = $this->peeked();

        self::assertCount(3, $peeked);
        self::assertIsString($peeked[1]['error']);
        self::assertMatchesRegularExpression('/\d/', $peeked[1]['error']);
        Snapshot::assertPrinted('spool:peek', 'damage', $peeked[1]['error']);
    }

    #[Test]
    public function without_its_ledger_it_shows_from_the_last_cursor_known_here(): void
    {
        $this->spool->add(3);
        $this->spool->run(FlushCommand::class, ['--limit' => '2']);
        $this->spool->database()->statement('drop table spool_ledger');
        $peeked = $this->peek();

        self::assertSame([0, 1], [$peeked->exit, count($this->peeked())]);
        Snapshot::assertPrinted('spool:peek', 'the ledger cannot be read', $peeked->err);
    }

    #[Test]
    public function empty_states_and_wrong_usage_are_told_apart(): void
    {
        self::assertSame(0, $this->peek()->exit);
        Snapshot::assertPrinted('spool:peek', 'nothing was buffered', $this->peek()->out);
        self::assertSame([0, ''], [$this->peek(['--json' => true])->exit, $this->peek(['--json' => true])->out]);
        self::assertDirectoryDoesNotExist($this->spool->path);

        $unknown = $this->peek(['bucket' => 'nope']);
        self::assertSame(2, $unknown->exit);
        self::assertMatchesRegularExpression("/'nope' .* api-events\\./", $unknown->err);
        Snapshot::assertPrinted('spool:peek', 'an unknown bucket', $unknown->err);

        $this->spool->add(1, 'forgotten');
        self::assertCount(1, $this->peeked(['bucket' => 'forgotten']));
    }

    #[Test]
    #[TestWith(['0'])]
    #[TestWith(['all'])]
    public function a_wrong_limit_is_wrong_usage(string $limit): void
    {
        self::assertSame(2, $this->peek(['--limit' => $limit])->exit);
        $document = (array) json_decode($this->peek(['--limit' => $limit, '--json' => true])->out, true);
        self::assertSame(['error'], array_keys($document));
        self::assertIsString($document['error']);
        self::assertMatchesRegularExpression("/--limit .*'{$limit}'.* 1 .* 999999999999/", $document['error']);
    }

    /** @param array<string, mixed> $row */
    private function append(array $row): void
    {
        $this->spool->runtime()->buffer()->bucket('api-events')->add($row);
    }

    /** @param array<string, mixed> $input */
    private function peek(array $input = []): Outcome
    {
        return $this->spool->run(PeekCommand::class, ['bucket' => 'api-events', ...$input]);
    }

    /**
     * @param array<string, mixed> $input
     * @return list<array<mixed>>
     */
    private function peeked(array $input = []): array
    {
        $lines = array_filter(
            explode("\n", $this->peek(['--json' => true, ...$input])->out),
            static fn (string $line): bool => $line !== '',
        );

        return array_map(
            static fn (string $line): array => (array) json_decode($line, true, flags: JSON_THROW_ON_ERROR),
            array_values($lines),
        );
    }
}
