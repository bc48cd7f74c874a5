<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Laravel\Http\Authorize;
use Headroom\Spool\Buffer;
use Headroom\Support\MetricsText;
use Headroom\Tests\Support\ExpositionReader;
use Headroom\Tests\Support\Promtool;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Foundation\Auth\User;
use Illuminate\Support\Facades\Auth;
use Illuminate\Support\Facades\Gate;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Random\Engine\Mt19937;
use Random\Randomizer;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\Response;

/**
 * GET /headroom/metrics: which requests it answers, and what it shows.
 */
final class MetricsRouteTest extends TestCase
{
    private const KEY = 'base64:a2tra2tra2tra2tra2tra2tra2tra2tra2tra2tra2s=';

    private const TOKEN = 'f0e1d2c3b4a5968778695a4b3c2d1e0f';

    private ?WorkbenchApplication $workbench = null;

    protected function tearDown(): void
    {
        $this->workbench?->shut();
    }

    #[Test]
    public function with_the_token_it_shows_the_metrics_of_this_machine(): void
    {
        $this->boot(self::TOKEN);
        $this->app()->app->make(Buffer::class)->bucket('page-views')->add(['path' => '/']);
        $response = $this->metrics('Bearer '.self::TOKEN);
        $text = (string) $response->getContent();

        self::assertSame(
            [
                200,
                MetricsText::CONTENT_TYPE,
                'no-store, private',
                'nosniff',
                "default-src 'none'; frame-ancestors 'none'",
            ],
            [
                $response->getStatusCode(),
                ...array_map(
                    $response->headers->get(...),
                    ['Content-Type', 'Cache-Control', 'X-Content-Type-Options', 'Content-Security-Policy'],
                ),
            ],
        );
        self::assertSame([], $response->headers->getCookies());
        self::assertSame([0, ''], Promtool::checkMetrics($text));
        self::assertSame('1', ExpositionReader::value($text, 'headroom_spool_events', ['bucket' => 'page-views']));
    }

    /** @return iterable<string, array{?string, list<string>}> configured token and headers that do not open it */
    public static function wrong(): iterable
    {
        $token = self::TOKEN;

        yield 'no header' => [$token, []];
        yield 'another token' => [$token, ['Bearer f0e1d2c3b4a5968778695a4b3c2d1e0e']];
        yield 'a beginning' => [$token, ['Bearer '.substr($token, 0, -1)]];
        yield 'more than the token' => [$token, ["Bearer {$token}0"]];
        yield 'two tokens' => [$token, ["Bearer {$token} {$token}"]];
        yield 'two headers' => [$token, ["Bearer {$token}", "Bearer {$token}"]];
        yield 'a list in one header' => [$token, ["Bearer x, Bearer {$token}"]];
        yield 'another scheme' => [$token, ["Basic {$token}"]];
        yield 'no scheme' => [$token, [$token]];
        yield 'a very long one' => [$token, ['Bearer '.str_repeat('f', 1_000_000)]];
        yield 'bytes that are no text' => [$token, ["Bearer \xFF\xFE\0{$token}"]];
        yield 'an empty token' => ['', ['Bearer ']];
        yield 'an empty token, and none sent' => ['', []];
        yield 'an empty token, two blanks' => ['', ['Bearer  ']];
        yield 'none configured' => [null, ['Bearer ']];
        yield 'none configured, a word for it' => [null, ['Bearer null']];
        yield 'none configured, no header' => [null, []];
    }

    /** @param list<string> $headers */
    #[Test]
    #[DataProvider('wrong')]
    public function without_the_token_the_gate_decides(?string $token, array $headers): void
    {
        $this->boot($token);
        self::assertSame(403, $this->metrics(...$headers)->getStatusCode());

        Gate::define(Authorize::ABILITY, static fn (User $user): bool => $user->getAttribute('email') === 'ops@x.org');
        self::assertSame(403, $this->metrics(...$headers)->getStatusCode());
        Auth::setUser((new User)->forceFill(['email' => 'else@x.org']));
        self::assertSame(403, $this->metrics(...$headers)->getStatusCode());
        Auth::setUser((new User)->forceFill(['email' => 'ops@x.org']));
        self::assertSame(200, $this->metrics(...$headers)->getStatusCode());
    }

    #[Test]
    public function no_generated_header_opens_it(): void
    {
        $this->boot(self::TOKEN);
        $random = new Randomizer(new Mt19937(34));

        for ($number = 0; $number < 200; $number++) {
            $value = match ($number % 4) {
                0 => $random->getBytes($random->getInt(1, 60)),
                1 => 'Bearer '.$random->getBytes(32),
                2 => 'Bearer '.substr_replace(self::TOKEN, 'g', $random->getInt(0, 31), 1),
                default => $random->shuffleBytes('Bearer '.self::TOKEN),
            };
            self::assertSame(403, $this->metrics($value)->getStatusCode(), bin2hex($value));
        }
    }

    #[Test]
    #[TestWith(['1'])]
    #[TestWith([['f0e1d2c3b4a5968778695a4b3c2d1e0f']])]
    #[TestWith([true])]
    public function a_token_that_is_no_text_opens_nothing_else(mixed $token): void
    {
        $this->boot($token);
        $open = $token === '1' ? 200 : 403;

        self::assertSame(
            [$open, 403],
            [$this->metrics('Bearer 1')->getStatusCode(), $this->metrics('Bearer '.self::TOKEN)->getStatusCode()],
        );
    }

    #[Test]
    public function a_local_application_shows_metrics_to_every_request(): void
    {
        $this->boot(null, ['APP_ENV' => 'local']);

        self::assertSame(200, $this->metrics()->getStatusCode());
    }

    #[Test]
    public function the_token_needs_neither_a_session_nor_a_database(): void
    {
        $this->boot(self::TOKEN, ['SESSION_DRIVER' => 'database', 'DB_DATABASE' => '/nowhere/database.sqlite']);

        self::assertSame(200, $this->metrics('Bearer '.self::TOKEN)->getStatusCode());
        self::assertSame(500, $this->metrics('Bearer else')->getStatusCode());
    }

    #[Test]
    public function frequent_requests_read_the_buffer_once(): void
    {
        $this->boot(self::TOKEN);
        $bucket = $this->app()->app->make(Buffer::class)->bucket('page-views');
        $bucket->add(['path' => '/']);
        $first = $this->metrics('Bearer '.self::TOKEN)->getContent();
        $file = $this->file();
        $head = explode(' ', (string) strtok((string) file_get_contents($file), "\n"));
        $head[1] = (string) 60_000_000;
        file_put_contents($file, implode(' ', $head)."\n{$first}");
        $bucket->add(['path' => '/']);

        self::assertSame($first, $this->metrics('Bearer '.self::TOKEN)->getContent());
    }

    #[Test]
    public function a_buffer_that_cannot_be_read_is_unavailable_and_names_no_path(): void
    {
        $this->boot(self::TOKEN);
        $this->app()->app->make(Buffer::class)->bucket('page-views')->add(['path' => '/']);
        file_put_contents(dirname($this->file()).'/node', 'damaged');
        $response = $this->metrics('Bearer '.self::TOKEN);

        self::assertSame([503, '5'], [$response->getStatusCode(), $response->headers->get('Retry-After')]);
        self::assertStringContainsString('`spool:health`', (string) $response->getContent());
        self::assertStringNotContainsString('/', (string) $response->getContent());
        self::assertSame([], ExpositionReader::samples((string) $response->getContent()));
    }

    /** @param array<string, string> $environment */
    private function boot(mixed $token, array $environment = []): void
    {
        $this->workbench = WorkbenchApplication::boot([
            'APP_ENV' => 'production', 'APP_KEY' => self::KEY, ...$environment,
        ]);
        $app = $this->workbench->app;
        $app->make(Repository::class)->set('headroom.metrics.token', $token);
    }

    private function app(): WorkbenchApplication
    {
        return $this->workbench ?? self::fail('It was not booted.');
    }

    private function file(): string
    {
        $path = $this->app()->config('spool.path');
        self::assertIsString($path);

        return "{$path}/metrics";
    }

    private function metrics(string ...$authorization): Response
    {
        $request = Request::create('/headroom/metrics');

        if ($authorization !== []) {
            $request->headers->set('Authorization', array_values($authorization));
        }

        return $this->app()->send($request);
    }
}
