<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Core\Position;
use Headroom\Laravel\Http\Dashboard\Access\AccessToken;
use Headroom\Laravel\Http\Dashboard\Access\AccessTokens;
use Headroom\Laravel\Http\Dashboard\Data\ShownEvents;
use Headroom\Spool\InvalidEvent;
use Headroom\Spool\Store\DeadLetter;
use Headroom\Tests\Laravel\Support\DashboardTestCase;
use Headroom\Tests\Support\Sample;
use Illuminate\Contracts\Config\Repository;
use PDO;
use PHPUnit\Framework\Attributes\Test;
use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * Events from outside, and servers that do not answer.
 */
final class DashboardHostileTest extends DashboardTestCase
{
    private const PARTS = [
        '<script>alert(1)</script>', '</script>', '"><img src=x onerror=alert(1)>', '{base}', '{token}', "\0",
        "\u{202E}",
        "\u{2028}", "\xff\xfe", "\xC3", '&lt;', '\\u003c', "\r\n", 'ä', '…', '\'', '`spool:forget all`', '__proto__',
        'javascript:alert(1)', '${x}', '0', '-1', '[{"a":"<b>"}]', '{"<i>":{"Password":"x"}}',
    ];

    #[Test]
    public function no_answer_has_markup_a_secret_or_bytes_that_are_no_utf_8(): void
    {
        $this->boot()->migrate();
        $this->open();
        $random = new Randomizer(new Mt19937(Sample::seed()));
        $rows = [];

        for ($number = 0; $number < 60; $number++) {
            $rows[] = self::row($random);
        }

        $rows[] = ['deep' => str_repeat('[', 600).str_repeat(']', 600), 'password' => 'geheim'];
        $rows[] = ['huge' => str_repeat('<ä', 500_000)];
        $rows[] = array_fill_keys(array_map(static fn (int $n): string => "column{$n}", range(1, 2_000)), '<');
        $accepted = 0;

        foreach ($rows as $row) {
            foreach (['page_visits', 'forgotten'] as $bucket) {
                try {
                    $this->buffer($bucket, $row);
                    $accepted++;
                } catch (InvalidEvent) {
                    // No event of that form waits anywhere.
                }
            }
        }

        self::assertGreaterThan(60, $accepted);
        // Each refusal of the database names a column.
        $this->app()->artisan('spool:flush', ['bucket' => 'page_visits', '--bury' => true]);
        self::assertGreaterThan(20, $this->json('buckets/page_visits/dead')['total']);

        foreach ([
            'now', 'buckets/page_visits', 'buckets/page_visits/dead?limit=200', 'buckets/forgotten/events?limit=200',
            'buckets/page_visits/dead?search=%3Cscript%3E&kind=%3Cb%3E', 'history', 'nodes', 'machine',
        ] as $path) {
            $body = (string) $this->data($path)->getContent();
            $this->json($path);
            self::assertMatchesRegularExpression('/\A[\x20-\x3B=\x3F-\x7E]*\z/', $body, $path);
            self::assertStringNotContainsString('geheim', $body, $path);
            self::assertLessThan(150_000, strlen($body), $path);
        }
    }

    #[Test]
    public function an_event_with_many_columns_is_cut(): void
    {
        $this->boot();
        $this->open();
        $columns = array_map(static fn (int $number): string => "column{$number}", range(1, 100));
        $this->buffer('forgotten', array_fill_keys($columns, str_repeat('ä', 3_000)));
        $response = $this->data('buckets/forgotten/events');
        $events = self::list(self::decoded($response), 'events');
        self::assertIsArray($events[0]);
        $values = self::list($events[0], 'values');
        self::assertLessThan(20, count($values));
        self::assertIsString($values['…']);
        self::assertStringEndsWith('more columns are not shown', $values['…']);
        self::assertIsString($values['column1']);
        self::assertStringEndsWith('… (6,000 bytes)', $values['column1']);
    }

    #[Test]
    public function a_bucket_hides_what_its_own_setting_names_too(): void
    {
        $this->boot();
        $this->open();
        $this->buffer('activities', ['share_token' => 'a', 'card' => 'b', 'note' => 'c']);
        $this->set('headroom.dashboard.redact', ['card']);
        $events = self::list($this->json('buckets/activities/events'), 'events');
        self::assertIsArray($events[0]);
        self::assertSame(
            ['share_token' => '[redacted]', 'card' => '[redacted]', 'note' => 'c'],
            $events[0]['values'],
        );
    }

    #[Test]
    public function a_reason_that_quotes_a_redacted_value_is_shown_without_it(): void
    {
        $this->boot();
        $secret = 'geheim-'.bin2hex(random_bytes(20));
        $shown = (new ShownEvents($this->spool(), $this->app()->app->make(Repository::class)))->row('page_visits');

        foreach ([
            ['token' => $secret, 'name' => 'Ada'],
            ['name' => 'Ada', 'user' => '{"login":{"Password":"'.$secret.'"},"name":"Ada"}'],
            ['name' => 'Ada', 'rows' => '["{\\"secret\\":[\\"'.$secret.'\\"]}"]'],
        ] as $event) {
            $line = json_encode($event, JSON_THROW_ON_ERROR);
            // MySQL cuts a long value, and PostgreSQL does not.
            $reason = "Duplicate entry '".substr($secret, 0, 30)."' of Ada, key (token)=({$secret})";
            $letter = new DeadLetter(Position::start(), 'id', 1, 1, 'database', $reason, $line);
            $expected = "Duplicate entry '[redacted]' of Ada, key (token)=([redacted])";

            self::assertSame($expected, $shown->toArray($letter)['reason'], $line);
            self::assertSame($expected, $shown->reason($letter), $line);
            self::assertTrue($shown->contains($letter, 'duplicate entry'));
            self::assertFalse($shown->contains($letter, substr($secret, 0, 20)));
        }
    }

    #[Test]
    public function a_name_of_the_application_is_no_markup_in_the_document(): void
    {
        $this->boot();
        $this->set('app.name', '"><script>{token}</script>');
        $document = $this->open();

        self::assertStringNotContainsString('<script>', $document);
        self::assertSame('"><script>{token}</script>', self::attribute($document, 'name'));
    }

    #[Test]
    public function a_database_that_never_answers_is_not_asked_by_the_data(): void
    {
        $server = stream_socket_server('tcp://127.0.0.1:0');
        self::assertIsResource($server);
        $port = substr((string) strrchr((string) stream_socket_get_name($server, false), ':'), 1);
        $app = $this->boot([
            'DB_CONNECTION' => 'mysql', 'DB_HOST' => '127.0.0.1', 'DB_PORT' => $port, 'SESSION_DRIVER' => 'database',
        ]);
        // A page that asked the database would fail, and not hang.
        $this->set('database.connections.mysql.options', [PDO::ATTR_TIMEOUT => 1]);
        ini_set('mysqlnd.net_read_timeout', '1');
        $tokens = $app->app->make(AccessTokens::class);
        $this->token = $tokens->sign(AccessToken::VIEW, $tokens->fresh());
        $this->buffer('page_visits', ['url' => '/']);

        foreach ([
            'now', 'history', 'buckets/page_visits', 'buckets/page_visits/events', 'buckets/page_visits/dead',
        ] as $path) {
            self::assertSame(200, $this->data($path)->getStatusCode(), $path);
        }

        self::assertSame('waiting', $this->bucket('page_visits')['state']);
        preg_match('~/headroom\S+~', $app->artisan('headroom:link'), $link);
        self::assertSame(200, $app->get($link[0] ?? '')->getStatusCode());
        self::assertFalse(@stream_socket_accept($server, 0), 'The database was asked.');
        fclose($server);
    }

    #[Test]
    public function a_redis_that_is_down_is_the_error_of_its_bucket_alone(): void
    {
        $server = stream_socket_server('tcp://127.0.0.1:0');
        self::assertIsResource($server);
        $port = substr((string) strrchr((string) stream_socket_get_name($server, false), ':'), 1);
        fclose($server);
        $this->boot(['REDIS_HOST' => '127.0.0.1', 'REDIS_PORT' => $port]);
        $this->open();
        $this->buffer('page_visits', ['url' => '/']);

        self::assertSame('waiting', $this->bucket('page_visits')['state']);
        self::assertSame(['redis', 'error'], [
            $this->bucket('page-views-redis')['store'], $this->bucket('page-views-redis')['state'],
        ]);
        self::assertSame(500, $this->data('buckets/page-views-redis/dead')->getStatusCode());
    }

    /** @return array<string, string> */
    private static function row(Randomizer $random): array
    {
        $text = static function () use ($random): string {
            $parts = $random->pickArrayKeys(self::PARTS, $random->getInt(1, 4));

            return implode('', array_map(static fn (int $key): string => self::PARTS[$key], $parts));
        };
        $row = ['Password' => 'geheim', 'nested' => '{"API_KEY":"geheim"}'];

        for ($column = $random->getInt(0, 4); $column > 0; $column--) {
            $row[$text()] = $text();
        }

        return $row;
    }
}
