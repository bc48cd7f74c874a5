<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Laravel\Dashboard;

use Headroom\Laravel\Http\Dashboard\Data\DeadLetterPage;
use Headroom\Laravel\Http\Dashboard\Data\DeadLetterQuery;
use Headroom\Laravel\Http\Dashboard\Data\DeadLetterRow;
use Headroom\Laravel\Http\Dashboard\Data\EventValues;
use Headroom\Spool\Append\Redaction;
use Headroom\Spool\Encoding\Codec;
use Headroom\Spool\Utf8;
use Headroom\Tests\Laravel\Support\SteppingClock;
use Illuminate\Http\Request;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class DeadLetterPageTest extends TestCase
{
    private const MANY = 100_000;

    #[Test]
    public function the_first_page_of_many_letters_reads_a_limited_number(): void
    {
        $letters = new GeneratedLetters(self::MANY);
        $page = self::page($letters);

        self::assertSame(DeadLetterPage::MAX_READ, $letters->read);
        self::assertSame([self::MANY, DeadLetterPage::MAX_READ, false], [
            $page['total'], $page['scanned'], $page['complete'],
        ]);
        self::assertCount(50, self::letters($page));
        self::assertStringStartsWith('many:100000-', self::ids($page)[0]);
        self::assertIsArray($page['kinds']);
        self::assertSame([5_000], array_column($page['kinds'], 'letters'));
    }

    #[Test]
    public function later_pages_read_only_their_letters_and_all_pages_have_each_letter_once(): void
    {
        $letters = new GeneratedLetters(437);
        $ids = [];
        $after = '';

        do {
            $page = self::page($letters, ['after' => $after]);
            $ids = [...$ids, ...self::ids($page)];
            $after = $page['next'];
        } while (is_string($after));

        self::assertCount(437, array_unique($ids));
        self::assertSame($ids, array_values(array_unique($ids)));
        // The first page counts the kinds.
        self::assertSame(437 + 387, $letters->read);
    }

    #[Test]
    public function a_search_goes_on_where_the_last_request_has_stopped(): void
    {
        $letters = new GeneratedLetters(
            self::MANY,
            static fn (int $number): string => $number === 7 ? 'needle' : 'hay',
        );
        $requests = 0;
        $found = [];
        $after = '';

        do {
            $page = self::page($letters, ['search' => 'NEEDLE', 'after' => $after]);
            self::assertLessThanOrEqual(DeadLetterPage::MAX_READ, $page['scanned']);
            $found = [...$found, ...self::ids($page)];
            $after = $page['next'];
            $requests++;
        } while (is_string($after));

        self::assertCount(1, $found);
        self::assertStringStartsWith('many:7-', $found[0]);
        self::assertSame([20, self::MANY], [$requests, $letters->read]);
    }

    #[Test]
    public function a_slow_disk_ends_a_request_after_a_second(): void
    {
        $clock = new SteppingClock(perLook: 100_000);
        $letters = new GeneratedLetters(1_000);
        $page = self::page($letters, [], $clock);

        self::assertSame(10, $page['scanned']);
        self::assertIsString($page['next']);
        self::assertFalse($page['complete']);
    }

    #[Test]
    public function large_letters_end_a_page_early(): void
    {
        $page = self::page(new GeneratedLetters(100, static fn (): string => str_repeat('x', 100_000)));
        $bytes = strlen(json_encode($page, JSON_THROW_ON_ERROR));

        self::assertLessThan(70_000, $bytes);
        self::assertLessThan(50, count(self::letters($page)));
        self::assertIsString($page['next']);
    }

    #[Test]
    public function no_search_finds_a_redacted_value(): void
    {
        $letters = new GeneratedLetters(3, static fn (): string => 'open', 'geheim');

        self::assertCount(3, self::letters(self::page($letters, ['search' => 'open'])));
        self::assertCount(0, self::letters(self::page($letters, ['search' => 'geheim'])));
        self::assertStringNotContainsString('geheim', json_encode(self::page($letters), JSON_THROW_ON_ERROR));
    }

    #[Test]
    public function a_strange_query_is_the_first_page(): void
    {
        foreach ([['after' => '../..'], ['after' => ['x']], ['limit' => '-7'], ['search' => ["\xff"]]] as $query) {
            self::assertSame(3, self::page(new GeneratedLetters(3), $query)['total']);
        }

        self::assertCount(200, self::letters(self::page(new GeneratedLetters(300), ['limit' => '100000'])));
    }

    /**
     * @param array<string, mixed> $query
     * @return array<string, mixed>
     */
    private static function page(GeneratedLetters $letters, array $query = [], ?SteppingClock $clock = null): array
    {
        return (new DeadLetterPage(
            $letters,
            new DeadLetterRow(
                'many',
                new Codec,
                new EventValues([Redaction::of('redact', ['password'], Utf8::Replace)], 'many'),
            ),
            DeadLetterQuery::of(new Request($query)),
            $clock ?? new SteppingClock,
        ))->toArray();
    }

    /**
     * @param array<string, mixed> $page
     * @return list<array<array-key, mixed>>
     */
    private static function letters(array $page): array
    {
        self::assertIsArray($page['letters']);

        return array_values(array_filter($page['letters'], is_array(...)));
    }

    /**
     * @param array<string, mixed> $page
     * @return list<string>
     */
    private static function ids(array $page): array
    {
        return array_values(array_filter(array_column(self::letters($page), 'id'), is_string(...)));
    }
}
