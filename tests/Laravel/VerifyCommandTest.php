<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use FilesystemIterator;
use Headroom\Console\Spool\CleanCommand;
use Headroom\Console\Spool\FlushCommand;
use Headroom\Tests\Laravel\Support\SpoolTestCase;
use Headroom\Tests\Laravel\Support\Verifies;
use Headroom\Tests\Support\Snapshot;
use Illuminate\Database\Query\Builder;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use RecursiveDirectoryIterator;
use RecursiveIteratorIterator;
use SplFileInfo;

/**
 * Everything that spool:verify can find, each made by hand.
 */
#[Group('snapshot')]
final class VerifyCommandTest extends SpoolTestCase
{
    use Verifies;

    private string $bucket;

    protected function setUp(): void
    {
        parent::setUp();
        $this->bucket = "{$this->spool->path}/buckets/api-events";
    }

    #[Test]
    public function an_untouched_bucket_is_right_and_counted_to_the_event(): void
    {
        $this->spool->add(3);
        $this->flush();
        $this->sealedButNotDelivered(2);
        $this->spool->add(4);

        $this->assertFound('all is right', []);
        $numbers = $this->numbers();
        self::assertGreaterThan(0, $numbers['bytes']);
        unset($numbers['bytes']);
        self::assertSame([
            'bucket' => 'api-events', 'segments' => 2, 'slots' => 1, 'frames' => 12, 'accepted' => 9, 'delivered' => 3,
            'dead' => 0, 'pending' => 6, 'missing' => 0, 'torn' => 0, 'damaged' => 0, 'dead_letters' => 0,
            'wrong' => 0, 'notes' => 0,
        ], $numbers);
    }

    #[Test]
    public function it_changes_nothing_and_makes_nothing(): void
    {
        $this->assertFound('nothing was ever buffered', []);
        self::assertSame([], $this->json()['buckets']);
        self::assertDirectoryDoesNotExist($this->spool->path);

        $this->spool->add(1);
        $this->flush();
        $this->spool->add(1);
        $before = $this->traces();
        $this->verify();
        self::assertSame($before, $this->traces());
    }

    #[Test]
    public function a_segment_that_was_removed_is_missing_to_the_event_and_named(): void
    {
        $this->sealedButNotDelivered(4);
        $this->sealedButNotDelivered(3);
        unlink($this->segment('sealed', 1));

        $this->assertFound('a segment is gone', [
            'wrong 00000000000000000001.seg' => [],
            'wrong accounts' => [4, 7, 0, 3],
        ]);
        self::assertSame([4, 3], [$this->numbers()['missing'], $this->numbers()['pending']]);
    }

    #[Test]
    public function the_last_segment_is_missed_as_well(): void
    {
        $this->sealedButNotDelivered(4);
        $this->sealedButNotDelivered(3);
        unlink($this->segment('sealed', 2));

        $this->assertFound(null, ['wrong 00000000000000000002.seg' => [], 'wrong accounts' => [3]]);
        unlink($this->segment('sealed', 1));
        $this->assertFound('two segments are gone', [
            'wrong 00000000000000000001.seg' => ['00000000000000000002.seg', 2],
            'wrong accounts' => [7],
        ]);
        self::assertSame(7, $this->numbers()['missing']);
    }

    #[Test]
    public function a_hole_in_delivered_segments_is_a_note_and_cleaning_makes_none(): void
    {
        for ($i = 0; $i < 4; $i++) {
            $this->spool->add(1);
            $this->flush();
        }

        unlink($this->segment('completed', 2));
        $this->assertFound('a segment that was delivered is gone', ['note 00000000000000000002.seg' => []]);

        $this->spool->run(CleanCommand::class, ['--older-than' => '0']);
        self::assertFileDoesNotExist($this->segment('completed', 3));
        $this->assertFound(null, []);
    }

    #[Test]
    public function a_flipped_bit_is_found_in_a_segment_and_in_a_slot(): void
    {
        $this->sealedButNotDelivered(3);
        $this->flip($this->segment('sealed', 1), 'event-1');
        $found = ['wrong 00000000000000000001.seg' => [], 'wrong accounts' => [1]];
        $this->assertFound('a bit is flipped', $found);

        $this->spool->database()->statement('alter table elsewhere rename to api_events');
        $this->flush();
        $this->assertFound('a flipped bit was passed over', $found);
        $numbers = $this->numbers();
        self::assertSame(
            [3, 2, 1, 1],
            [$numbers['accepted'], $numbers['delivered'], $numbers['missing'], $numbers['damaged']],
        );

        $this->spool->add(2);
        $slot = $this->glob('active/*')[0];
        $this->flip($slot, 'event-1');
        self::assertContains('wrong '.basename($slot), array_keys($this->found()));
        self::assertSame(2, $this->numbers()['damaged']);
    }

    #[Test]
    public function another_bucket_s_segment_says_whose_it_is(): void
    {
        $this->spool->createEvents('others');
        $this->spool->buckets['others'] = ['sink' => 'database', 'table' => 'others'];
        $this->spool->add(2, 'others');
        $this->flush();
        $this->sealedButNotDelivered(1);
        copy("{$this->spool->path}/buckets/others/completed/00000000000000000001.seg", $this->segment('sealed', 1));

        $this->assertFound('a segment of another bucket', [
            'wrong 00000000000000000001.seg' => ['others', 'api-events', $this->node()],
            'wrong accounts' => [1],
        ], ['bucket' => 'api-events']);
        self::assertSame(-1, $this->numbers()['missing']);
    }

    #[Test]
    public function another_node_s_segment_says_whose_it_is(): void
    {
        $this->sealedButNotDelivered(1);
        $node = $this->node();
        file_put_contents("{$this->spool->path}/node", str_repeat('a', 32));

        self::assertStringContainsString($node, $found = $this->found()['wrong 00000000000000000001.seg']);
        self::assertStringContainsString(str_repeat('a', 32), $found);
    }

    #[Test]
    public function a_copy_of_a_segment_is_found_under_any_name(): void
    {
        $this->spool->add(2);
        $this->flush();
        copy($this->segment('completed', 1), $this->segment('sealed', 1));
        $this->assertFound(
            'a segment lies in two places',
            ['wrong 00000000000000000001.seg' => ['sealed', 'completed']],
        );

        rename($this->segment('sealed', 1), $this->segment('sealed', 2));
        $this->assertFound('a copy of a segment', [
            'wrong 00000000000000000002.seg' => ['00000000000000000001.seg', 2, 1],
            'wrong accounts' => [2],
        ]);

        rename($this->segment('sealed', 2), "{$this->bucket}/active/u0-0007.log");
        self::assertStringContainsString('00000000000000000001.seg', $this->found()['wrong u0-0007.log'] ?? '');
    }

    #[Test]
    public function a_slot_under_another_user_s_name_is_found(): void
    {
        $this->spool->add(1);
        rename($this->glob('active/*')[0], "{$this->bucket}/active/u4711-0000.log");

        $this->assertFound('a slot of another user', ['wrong u4711-0000.log' => [posix_geteuid()]]);
    }

    #[Test]
    public function the_ledger_is_held_against_the_state(): void
    {
        $this->spool->add(3);
        $this->flush();
        $ledger = fn (): Builder => $this->spool->database()->table('spool_ledger');
        $row = (array) $ledger()->first();
        self::assertIsString($row['position']);
        $at = static fn (int $segment): string => sprintf('%020d-%020d-00000', $segment, 0);
        $rewrite = static fn (int $delivered, ?string $position = null): int => $ledger()->update([
            'delivered' => $delivered,
            ...$position === null ? [] : ['position' => $position, 'checksum' => null],
        ]);

        $rewrite(2);
        $this->assertFound('the ledger counts otherwise', ['wrong accounts' => [1], 'wrong ledger' => [2, 0, 3]]);

        $rewrite(0, $at(0));
        $this->assertFound('the ledger is behind', ['note ledger' => [3]]);
        self::assertSame(3, $this->numbers()['pending']);

        $rewrite(9, $at(5));
        $this->assertFound('the ledger is ahead', ['wrong accounts' => [6], 'wrong ledger' => [6, 0, $at(5)]]);

        $ledger()->update(['checksum' => str_repeat('0', 32)]);
        $this->assertFound('the log forked', ['wrong ledger' => [$row['position']]]);

        $ledger()->delete();
        $this->assertFound('the ledger has no row', ['wrong ledger' => [$row['position']]]);

        $ledger()->insert($row);
        $this->assertFound(null, []);
        $this->spool->database()->statement('drop table spool_ledger');
        self::assertStringContainsString('no such table: spool_ledger', $this->found()['wrong ledger'] ?? '');
    }

    #[Test]
    public function a_cursor_that_stands_in_the_middle_of_a_frame_is_found(): void
    {
        $this->sealedButNotDelivered(2);
        $position = '00000000000000000001-00000000000000000131-00000';
        $this->spool->database()->table('spool_ledger')->update(['position' => $position]);

        self::assertStringContainsString($position, $this->found()['wrong cursor'] ?? '');
    }

    #[Test]
    public function a_state_file_that_is_gone_or_damaged_is_said(): void
    {
        $this->spool->add(1);
        $this->flush();
        file_put_contents("{$this->bucket}/state", 'damaged');
        self::assertSame(1, $this->verify()->exit);
        self::assertStringContainsString("{$this->bucket}/state", implode($this->found()));

        unlink("{$this->bucket}/state");
        self::assertSame(1, $this->verify()->exit);
        self::assertMatchesRegularExpression('/\b1\b/', $this->found()['wrong state'] ?? '');
    }

    #[Test]
    public function copies_dead_letters_and_leftovers_are_looked_at(): void
    {
        $this->sealedButNotDelivered(2);
        $this->flip($this->segment('sealed', 1), 'event-1');
        $this->spool->database()->statement('alter table elsewhere rename to api_events');
        $this->flush();
        $copy = $this->glob('quarantine/*')[0];
        $wrong = 'wrong quarantine/'.basename($copy);
        self::assertArrayNotHasKey($wrong, $this->found());
        file_put_contents($copy, 'other bytes');
        self::assertArrayHasKey($wrong, $this->found());

        mkdir("{$this->bucket}/dead");
        file_put_contents("{$this->bucket}/dead/1.json", '{"event":{}}');
        file_put_contents("{$this->bucket}/dead/2.json", '{"event":');
        self::assertArrayHasKey('wrong dead/2.json', $this->found());
        self::assertArrayNotHasKey('wrong dead/1.json', $this->found());
        self::assertSame(2, $this->numbers()['dead_letters']);

        touch("{$this->bucket}/state.new");
        self::assertArrayNotHasKey('note state.new', $this->found(), 'A process may be writing it.');
        touch("{$this->bucket}/state.new", (int) filemtime("{$this->bucket}/state") - 300);
        self::assertMatchesRegularExpression('/\b3\d\d s\b/', $this->found()['note state.new'] ?? '');
        Snapshot::assertPrinted('spool:verify', 'copies, dead letters and leftovers', $this->verify()->out);
    }

    #[Test]
    public function a_frame_that_only_a_newer_version_can_read_is_wrong(): void
    {
        $this->spool->add(1);
        $slot = $this->glob('active/*')[0];
        $bytes = (string) file_get_contents($slot);
        $at = (int) strpos($bytes, "\xF5HR\x01", 4);
        $frame = substr($bytes, 0, $at).substr($bytes, $at, 4)."\x07".substr($bytes, $at + 5, -4);
        file_put_contents($slot, $frame.hash('crc32c', substr($frame, $at), true));

        $this->assertFound('a frame of a newer version', ['wrong '.basename($slot) => [$at]]);
        self::assertSame(0, $this->numbers()['damaged'], 'It is whole.');
    }

    #[Test]
    public function json_has_the_numbers_and_the_findings(): void
    {
        $this->sealedButNotDelivered(2);
        unlink($this->segment('sealed', 1));
        $document = $this->json();

        self::assertSame(['ok', 'path', 'buckets', 'findings'], array_keys($document));
        self::assertFalse($document['ok']);
        self::assertIsArray($document['findings']);
        self::assertSame(['subject', 'message', 'mend', 'fatal'], array_keys((array) $document['findings'][0]));
    }

    #[Test]
    public function an_unknown_bucket_is_wrong_usage_and_an_undeclared_one_is_verified(): void
    {
        $this->spool->add(1, 'forgotten');
        $unknown = $this->verify(['bucket' => 'api-event']);

        self::assertSame([2, ''], [$unknown->exit, $unknown->out]);
        self::assertStringContainsString('api-events, forgotten', $unknown->err);
        self::assertSame(
            ['forgotten'],
            array_column((array) $this->json(['bucket' => 'forgotten'])['buckets'], 'bucket'),
        );
        Snapshot::assertPrinted('spool:verify', 'one bucket has nothing', $this->verify()->out);
        self::assertSame([], $this->json(['bucket' => 'api-events'])['buckets']);
    }

    private function node(): string
    {
        return (string) file_get_contents("{$this->spool->path}/node");
    }

    private function sealedButNotDelivered(int $events): void
    {
        $tables = $this->spool->database()->getSchemaBuilder();

        if ($tables->hasTable('api_events')) {
            $tables->rename('api_events', 'elsewhere');
        }

        $this->spool->add($events);
        $this->flush();
    }

    private function flush(): void
    {
        $this->spool->run(FlushCommand::class, ['--now' => true]);
    }

    private function segment(string $stage, int $sequence): string
    {
        return sprintf('%s/%s/%020d.seg', $this->bucket, $stage, $sequence);
    }

    /** @return non-empty-list<string> */
    private function glob(string $pattern): array
    {
        $paths = glob("{$this->bucket}/{$pattern}");
        self::assertNotEmpty($paths);

        return $paths;
    }

    private function flip(string $path, string $where): void
    {
        $bytes = (string) file_get_contents($path);
        $offset = (int) strpos($bytes, $where);
        $bytes[$offset] = chr(ord($bytes[$offset]) ^ 1);
        file_put_contents($path, $bytes);
    }

    /** @return array<string, string> */
    private function traces(): array
    {
        clearstatcache();
        $traces = [];

        /** @var SplFileInfo $entry */
        foreach (new RecursiveIteratorIterator(
            new RecursiveDirectoryIterator($this->spool->path, FilesystemIterator::SKIP_DOTS),
            RecursiveIteratorIterator::SELF_FIRST,
        ) as $entry) {
            $traces[$entry->getPathname()] =
                "{$entry->getInode()} {$entry->getSize()} {$entry->getMTime()} {$entry->getCTime()}"
                    .($entry->isFile() ? md5_file($entry->getPathname()) : '');
        }

        ksort($traces);

        return $traces;
    }
}
