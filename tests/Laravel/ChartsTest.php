<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Laravel\Http\Authorize;
use Headroom\Report\WebPage;
use Headroom\Tests\Contract\Support\ScriptedServer;
use Headroom\Tests\Support\Sentence;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Foundation\Auth\User;
use Illuminate\Support\Facades\Auth;
use Illuminate\Support\Facades\Gate;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * The page of charts in an application: whether it exists, which users see it, and its content.
 */
final class ChartsTest extends TestCase
{
    private const KEY = 'base64:a2tra2tra2tra2tra2tra2tra2tra2tra2tra2tra2s=';

    private ?WorkbenchApplication $workbench = null;

    protected function tearDown(): void
    {
        $this->workbench?->shut();
    }

    #[Test]
    public function it_is_not_there_until_it_is_wanted(): void
    {
        $this->workbench = WorkbenchApplication::boot(['APP_ENV' => 'local', 'APP_KEY' => self::KEY]);

        self::assertSame(404, $this->workbench->get('/headroom/events')->getStatusCode());
        self::assertSame(404, $this->workbench->get('/headroom/events/data')->getStatusCode());
    }

    #[Test]
    #[TestWith(['local', 200])]
    #[TestWith(['production', 403])]
    #[TestWith(['testing', 403])]
    public function without_a_gate_only_a_local_application_shows_it(string $environment, int $status): void
    {
        $workbench = $this->workbench($environment);

        foreach (['', '/assets/charts.js'] as $path) {
            self::assertSame($status, $workbench->get("/headroom/events{$path}")->getStatusCode());
        }

        // Without an index there is a problem to read, for those who may.
        self::assertSame($status === 200 ? 500 : 403, $workbench->get('/headroom/events/data')->getStatusCode());
    }

    #[Test]
    public function in_production_the_gate_decides_which_user_sees_it(): void
    {
        $workbench = $this->workbench('production');
        Gate::define(
            Authorize::ABILITY,
            static fn (User $user): bool => $user->getAttribute('email') === 'ops@example.com',
        );
        self::assertSame(403, $workbench->get('/headroom/events')->getStatusCode());

        foreach (['else@example.com' => 403, 'ops@example.com' => 200] as $email => $status) {
            Auth::setUser((new User)->forceFill(['email' => $email]));
            self::assertSame($status, $workbench->get('/headroom/events')->getStatusCode());
        }
    }

    #[Test]
    public function the_document_has_nothing_inline_and_names_its_parts_by_their_hashes(): void
    {
        $response = $this->workbench('local')->get('/headroom/events');
        $document = (string) $response->getContent();

        self::assertSame(WebPage::POLICY, $response->headers->get('Content-Security-Policy'));
        self::assertStringNotContainsString('unsafe', WebPage::POLICY);
        self::assertDoesNotMatchRegularExpression('~<style|style=|<script(?![^>]* src=)|\son\w+=|//[a-z]~i', $document);
        preg_match_all(
            '~(?:src|href)="(/headroom/events/assets/([a-z.]+)\?[0-9a-f]+)" integrity="sha384-([^"]+)"~',
            $document,
            $parts,
            PREG_SET_ORDER,
        );
        self::assertCount(2, $parts);

        foreach ($parts as [, $address, $name, $hash]) {
            $part = $this->workbench?->get($address);
            self::assertSame(base64_encode(hash('sha384', (string) $part?->getContent(), true)), $hash, $name);
            self::assertStringContainsString('immutable', (string) $part?->headers->get('Cache-Control'));
            // A machine that is deployed later answers with its own version, which no browser may keep.
            $other = $this->workbench?->get("{$address}0");
            self::assertSame('no-store, private', $other?->headers->get('Cache-Control'), $name);
        }
    }

    #[Test]
    #[TestWith(['charts.html'])]
    #[TestWith(['..%2Fcomposer.json'])]
    #[TestWith(['other.js'])]
    public function nothing_else_is_served(string $name): void
    {
        self::assertSame(404, $this->workbench('local')->get("/headroom/events/assets/{$name}")->getStatusCode());
    }

    #[Test]
    public function an_invalid_query_gets_a_problem_document_and_the_index_is_not_asked(): void
    {
        $server = ScriptedServer::start();

        try {
            $response = $this->workbench('local', $server->url(''))->get('/headroom/events/data?range=30d&interval=1');
            self::assertSame([], $server->requests());
        } finally {
            $server->stop();
        }

        self::assertSame(
            [400, 'application/problem+json'],
            [$response->getStatusCode(), $response->headers->get('Content-Type')],
        );
        Sentence::assertNames(['200'], (string) $response->getContent());
        Sentence::assertNames(["'interval'"], (string) $response->getContent());
    }

    #[Test]
    public function a_bucket_that_has_no_index_is_a_problem_that_names_the_setting(): void
    {
        $workbench = $this->workbench('local');
        $workbench->app->make(Repository::class)->set('headroom.charts.bucket', 'activities');
        $response = $workbench->get('/headroom/events/data');

        self::assertSame(
            [500, 'application/problem+json'],
            [$response->getStatusCode(), $response->headers->get('Content-Type')],
        );
        Sentence::assertNames(['headroom.charts.bucket', "'activities'"], (string) $response->getContent());
    }

    #[Test]
    public function its_routes_can_be_cached(): void
    {
        $this->workbench('local');
        $this->workbench?->artisanProcess('route:cache');
        $this->workbench = $this->workbench?->reboot();

        self::assertSame(200, $this->workbench?->get('/headroom/events')->getStatusCode());
    }

    #[Test]
    public function the_page_of_the_documentation_shows_the_settings_that_there_are(): void
    {
        $config = (string) file_get_contents(__DIR__.'/../../config/headroom.php');
        $page = (string) file_get_contents(__DIR__.'/../../docs/charts.md');

        self::assertSame(1, preg_match("/'charts' => \\[.*?\\n    \\],\\n/s", $config, $shown));
        self::assertStringContainsString((string) preg_replace('/^    /m', '', trim($shown[0])), $page);
    }

    private function workbench(string $environment, string $index = ''): WorkbenchApplication
    {
        return $this->workbench = WorkbenchApplication::boot([
            'APP_ENV' => $environment,
            'APP_KEY' => self::KEY,
            'HEADROOM_CHARTS' => '1',
            ...($index === '' ? [] : ['ELASTICSEARCH_URL' => $index]),
        ]);
    }
}
