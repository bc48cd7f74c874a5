<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Core\Position;
use Headroom\Laravel\Http\Dashboard\Data\DeadLetterPage;
use Headroom\Laravel\Http\Dashboard\Data\DeadLetterQuery;
use Headroom\Laravel\Http\Dashboard\Data\DeadLetterRow;
use Headroom\Laravel\Http\Dashboard\Data\ShownEvents;
use Headroom\Laravel\Http\Dashboard\JsonResponse;
use Headroom\Load\Metrics\ProcessCpuTime;
use Headroom\Spool\DeadLetters\ListedLetters;
use Headroom\Spool\Store\DeadLetter;
use Headroom\Tests\Laravel\Support\DashboardTestCase;
use Headroom\Tests\Support\Sample;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Http\Request as IlluminateRequest;
use PHPUnit\Framework\Attributes\Test;
use Random\Engine\Mt19937;
use Random\Randomizer;
use Symfony\Component\HttpFoundation\Request;

/**
 * Letters of any size and number, and requests of any form.
 */
final class DashboardLimitsTest extends DashboardTestCase
{
    private const GET = [
        'data/now' => [], 'data/history' => ['bucket', 'minutes'], 'data/nodes' => [], 'data/machine' => [],
        'data/buckets/page_visits' => [],
        'data/buckets/page_visits/dead' => ['search', 'kind', 'after', 'limit'],
        'data/buckets/page_visits/events' => ['limit'], 'token' => [], 'link' => ['token'],
    ];

    private const TEXTS = [
        '', '-1', '60abc', '0', '99999999999999999999', '1e3', "\0", "\xff\xfe", '../..', '%', 'page_visits', '60',
        "\u{202E}",
        '00000000000000000001-00000000000000000144-00000', '00000000000000000009-00000000000000000009-99999',
    ];

    #[Test]
    public function a_reason_is_redacted_in_time_for_half_a_million_values(): void
    {
        $this->boot();
        $line = json_encode(
            ['list' => '['.implode(',', range(100_000, 240_000)).',{"password":"geheim"}]', 'token' => 987_654],
            JSON_THROW_ON_ERROR,
        );
        $letter = new DeadLetter(Position::start(), 'id', 1, 1, 'database', "Wrong: 'geheim', 100001, 987654", $line);
        $start = (new ProcessCpuTime)->micros();

        self::assertSame("Wrong: '[redacted]', 100001, [redacted]", $this->row()->reason($letter));
        self::assertLessThan(5_000_000, (new ProcessCpuTime)->micros() - $start);
    }

    #[Test]
    public function the_most_frequent_kinds_are_listed_and_the_others_counted(): void
    {
        $this->boot();
        $letters = [];

        foreach (range(0, 5_000) as $number) {
            $word = strtr((string) $number, '0123456789', 'abcdefghij');
            $position = new Position(1, 1_000 + $number, 0);
            $letters[$position->toString()] = new DeadLetter(
                $position, 'id', 1, 1, 'database', "No {$word} ".str_repeat('why ', 400), '{"a":1}',
            );
        }

        $page = (new DeadLetterPage(
            self::listed($letters),
            $this->row(),
            DeadLetterQuery::of(IlluminateRequest::create('/')),
            $this->spool()->clock(),
        ))->toArray();
        $kinds = self::list($page, 'kinds');

        self::assertCount(50, $kinds);
        self::assertIsInt($page['scanned']);
        self::assertIsInt($page['more_kinds']);
        self::assertSame($page['scanned'], $page['more_kinds'] + 50);
        self::assertLessThan(400_000, strlen(JsonResponse::encode($page)));
    }

    #[Test]
    public function a_file_that_is_larger_than_any_letter_is_listed_and_not_read(): void
    {
        $this->boot()->migrate();
        $this->open();
        $this->buffer('page_visits', ['nocolumn' => '1'], ['nocolumn' => '2']);
        $this->app()->artisan('spool:flush', ['bucket' => ['page_visits'], '--bury' => true]);
        $files = (array) glob($this->spool()->config()->path.'/buckets/page_visits/dead/*.json');
        self::assertCount(2, $files);
        $file = fopen((string) $files[1], 'r+');
        self::assertIsResource($file);
        ftruncate($file, 200_000_000);
        memory_reset_peak_usage();
        $before = memory_get_usage(true);
        $letters = self::list($this->json('buckets/page_visits/dead'), 'letters');

        self::assertLessThan(32_000_000, memory_get_peak_usage(true) - $before);
        self::assertSame([true, false], array_column($letters, 'corrupt'));
        self::assertIsArray($letters[0]);
        self::assertIsString($letters[0]['reason']);
        self::assertStringContainsString('it has 200000000 bytes', $letters[0]['reason']);
    }

    #[Test]
    public function a_search_of_200_characters_of_any_length_finds_its_letter(): void
    {
        $this->boot()->migrate();
        $this->open();
        $text = str_repeat('路径', 100);
        $this->buffer('page_visits', ['nocolumn' => "{$text}路"]);
        $this->app()->artisan('spool:flush', ['bucket' => ['page_visits'], '--bury' => true]);

        foreach ([$text, "{$text}路 and more"] as $search) {
            $found = $this->json('buckets/page_visits/dead?search='.rawurlencode($search));
            self::assertCount(1, self::list($found, 'letters'));
        }
    }

    #[Test]
    public function every_query_is_answered_or_refused_with_a_problem(): void
    {
        $this->boot()->migrate();
        $this->open();
        $this->buffer('page_visits', ['url' => '/']);
        $random = new Randomizer(new Mt19937(Sample::seed()));

        for ($try = 0; $try < 300; $try++) {
            $path = array_keys(self::GET)[$random->getInt(0, count(self::GET) - 1)];
            $query = ['bucket' => self::value($random)];

            foreach (self::GET[$path] as $name) {
                $query[$name] = self::value($random);
            }

            $this->assertAnswered(Request::create("/headroom/{$path}?".http_build_query($query)));
        }
    }

    #[Test]
    public function every_action_is_answered_or_refused_with_a_problem(): void
    {
        $this->boot()->migrate();
        $this->open();
        $random = new Randomizer(new Mt19937(Sample::seed()));
        $deep = str_repeat('[', 10_000);
        $bodies = ['', 'null', '5', '"a"', '[1]', '{', "\xff", $deep, "{\"bucket\":{$deep}"];

        for ($try = 0; $try < 300; $try++) {
            $members = ['bucket' => $random->getInt(0, 3) > 0 ? 'page_visits' : self::value($random)];

            foreach (['ids', 'kind', 'all', 'after', 'reason', 'next'] as $name) {
                if ($random->getInt(0, 1) === 1) {
                    $members[$name] = self::value($random);
                }
            }

            $bodies[] = (string) json_encode($members, JSON_INVALID_UTF8_SUBSTITUTE);
        }

        foreach ($bodies as $body) {
            $action = ['pause', 'resume', 'retry', 'forget', 'export'][$random->getInt(0, 4)];
            $this->assertAnswered(Request::create("/headroom/actions/{$action}", 'POST', content: $body), $body);
        }
    }

    private function assertAnswered(Request $request, string $body = ''): void
    {
        $response = $this->send($request, [
            'X-Headroom-Token' => $this->token, 'X-CSRF-TOKEN' => $this->csrf, 'Content-Type' => 'application/json',
        ]);
        $status = $response->getStatusCode();
        $type = (string) $response->headers->get('Content-Type');
        $what = "{$request->getRequestUri()} {$body}: {$status} {$response->getContent()}";

        if (str_starts_with($request->getPathInfo(), '/headroom/link')) {
            self::assertSame(403, $status, $what);
        } elseif ($status === 200) {
            self::assertStringContainsString('json', $type, $what);
        } else {
            self::assertTrue($status >= 400 && $status < 500, $what);
            self::assertSame(JsonResponse::PROBLEM_TYPE, $type, $what);
        }
    }

    private static function value(Randomizer $random): mixed
    {
        $text = self::TEXTS[$random->getInt(0, count(self::TEXTS) - 1)];

        return match ($random->getInt(0, 5)) {
            0 => [$text],
            1 => ['a' => ['b' => $text]],
            2 => [null, 1, $text, [$text]],
            3 => $random->getInt(-5, 5),
            default => $text,
        };
    }

    private function row(): DeadLetterRow
    {
        return (new ShownEvents($this->spool(), $this->app()->app->make(Repository::class)))->row('page_visits');
    }

    /** @param array<string, DeadLetter> $letters */
    private static function listed(array $letters): ListedLetters
    {
        return new class($letters) implements ListedLetters
        {
            /** @param array<string, DeadLetter> $letters */
            public function __construct(private readonly array $letters) {}

            public function positions(): array
            {
                return array_keys($this->letters);
            }

            public function at(array $positions): iterable
            {
                return array_map(fn (string $position): DeadLetter => $this->letters[$position], $positions);
            }
        };
    }
}
