<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Laravel\Http\Dashboard\Access\AccessToken;
use Headroom\Laravel\Http\Dashboard\Access\AccessTokens;
use Headroom\Report\WebPage;
use Headroom\Spool\AppendConfig;
use Headroom\Spool\Services\Backends;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Tests\Laravel\Support\DashboardTestCase;
use Headroom\Tests\Laravel\Support\SteppingClock;
use Illuminate\Encryption\Encrypter;
use LogicException;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\Response;

/**
 * Which requests see the dashboard.
 */
final class DashboardAccessTest extends DashboardTestCase
{
    private const DATA = [
        'now', 'history', 'nodes', 'machine', 'buckets/logs', 'buckets/logs/dead', 'buckets/logs/events',
    ];

    #[Test]
    #[TestWith(['local', 200])]
    #[TestWith(['production', 403])]
    #[TestWith(['testing', 403])]
    public function without_a_gate_only_a_local_application_shows_it(string $environment, int $status): void
    {
        $this->workbench = WorkbenchApplication::boot(['APP_ENV' => $environment, 'APP_KEY' => self::KEY]);

        foreach (['', '/token'] as $path) {
            self::assertSame($status, $this->workbench->get("/headroom{$path}")->getStatusCode());
        }
    }

    #[Test]
    public function the_page_can_be_turned_off_and_moved(): void
    {
        $this->workbench = WorkbenchApplication::boot([
            'APP_ENV' => 'local', 'APP_KEY' => self::KEY, 'HEADROOM_DASHBOARD' => '0',
        ]);

        self::assertSame(404, $this->workbench->get('/headroom')->getStatusCode());
        self::assertSame(404, $this->workbench->get('/headroom/data/now')->getStatusCode());
    }

    #[Test]
    public function the_document_tells_the_user_what_the_user_may(): void
    {
        foreach ([7 => '1', 3 => '0'] as $user => $manage) {
            $document = $this->open($user);
            self::assertSame($manage, self::attribute($document, 'manage'));
            self::assertSame(['/headroom', '1', 'production'], [
                self::attribute($document, 'base'),
                self::attribute($document, 'renew'),
                self::attribute($document, 'environment'),
            ]);
            self::assertNotSame('', $this->csrf);
        }

        self::assertStringNotContainsString('data-token', $this->open(4));
    }

    #[Test]
    public function every_response_has_the_strict_policy_and_is_not_stored(): void
    {
        $this->open();
        $responses = [
            $this->send(Request::create('/headroom')),
            $this->send(Request::create('/headroom/token')),
            $this->send(Request::create('/headroom/link?token=x')),
            $this->act('pause', ['bucket' => 'none']),
            $this->act('pause', [], ['X-CSRF-TOKEN' => 'forged']),
            $this->data('now', 'forged'),
            ...array_map(fn (string $path): Response => $this->data($path), self::DATA),
        ];

        foreach ($responses as $response) {
            self::assertSame(WebPage::POLICY, $response->headers->get('Content-Security-Policy'));
            self::assertSame('nosniff', $response->headers->get('X-Content-Type-Options'));
            self::assertStringContainsString('no-store', (string) $response->headers->get('Cache-Control'));
        }

        self::assertStringNotContainsString('unsafe', WebPage::POLICY);
    }

    #[Test]
    public function data_needs_a_token_and_no_cookie(): void
    {
        $this->open();

        foreach (self::DATA as $path) {
            $request = Request::create("/headroom/data/{$path}");
            $request->headers->set('X-Headroom-Token', $this->token);
            self::assertSame(200, $this->app()->send($request)->getStatusCode(), $path);
            self::assertSame(401, $this->data($path, '')->getStatusCode(), $path);
            $problem = $this->data($path, 'x.y');
            self::assertSame([401, 'application/problem+json'], [
                $problem->getStatusCode(), $problem->headers->get('Content-Type'),
            ]);
        }
    }

    #[Test]
    public function a_token_with_one_changed_bit_is_refused(): void
    {
        $this->open();

        for ($byte = 0; $byte < strlen($this->token); $byte++) {
            $forged = $this->token;
            $forged[$byte] = chr(ord($forged[$byte]) ^ (1 << random_int(0, 6)));
            // The last characters of base64 may have bits that mean nothing; the text must still be the same.
            self::assertSame(401, $this->data('now', $forged)->getStatusCode(), $forged);
        }
    }

    #[Test]
    public function a_token_is_valid_for_its_purpose_its_key_and_an_hour(): void
    {
        $clock = new SteppingClock;
        $tokens = self::tokens($clock, str_repeat('k', 32));
        $view = $tokens->sign(AccessToken::VIEW, $tokens->fresh('7'));

        self::assertSame('7', $tokens->verify(AccessToken::VIEW, $view)?->user);
        self::assertNull($tokens->verify(AccessToken::LINK, $view));
        self::assertNull(self::tokens($clock, str_repeat('x', 32))->verify(AccessToken::VIEW, $view));
        self::assertNull($tokens->verify(AccessToken::VIEW, $tokens->sign(
            AccessToken::VIEW,
            new AccessToken(PHP_INT_MAX),
        )));
        $clock->sleep(3_599_000_000);
        self::assertNotNull($tokens->verify(AccessToken::VIEW, $view));
        $clock->sleep(1_000_000);
        self::assertNull($tokens->verify(AccessToken::VIEW, $view));
    }

    #[Test]
    public function a_token_survives_a_rotated_key(): void
    {
        $clock = new SteppingClock;
        $old = self::tokens($clock, str_repeat('k', 32));
        $new = self::tokens($clock, str_repeat('n', 32), [str_repeat('k', 32)]);

        self::assertNotNull($new->verify(AccessToken::VIEW, $old->sign(AccessToken::VIEW, $old->fresh())));
    }

    #[Test]
    public function a_token_permits_no_action(): void
    {
        $this->open();
        $request = Request::create('/headroom/actions/pause', 'POST', content: '{"bucket":"logs"}');
        $request->headers->add(['Content-Type' => 'application/json', 'X-Headroom-Token' => $this->token]);

        self::assertSame(419, $this->app()->send($request)->getStatusCode());
        self::assertNull($this->bucket('logs')['paused']);
    }

    #[Test]
    public function a_link_shows_the_page_without_a_login_for_an_hour(): void
    {
        $app = $this->boot();
        $printed = json_decode($app->artisan('headroom:link', ['--json' => true]), true);
        self::assertIsArray($printed);
        self::assertIsString($printed['url']);
        $path = (string) strstr($printed['url'], '/headroom');
        $document = (string) $app->get($path)->getContent();
        $this->token = self::attribute($document, 'token');

        self::assertSame(['/headroom', '0', '0', ''], array_map(
            static fn (string $name): string => self::attribute($document, $name),
            ['base', 'manage', 'renew', 'csrf'],
        ));
        self::assertSame(200, $this->data('now')->getStatusCode());
        self::assertSame(403, $app->get("{$path}x")->getStatusCode());
        self::assertSame(403, $app->get('/headroom/link')->getStatusCode());
        self::assertSame(403, $app->get("/headroom/link?token={$this->token}")->getStatusCode());
        // The token of the link itself opens the page and no data.
        parse_str((string) parse_url($path, PHP_URL_QUERY), $query);
        self::assertIsString($query['token']);
        self::assertSame(401, $this->data('now', $query['token'])->getStatusCode());
    }

    #[Test]
    public function no_link_is_printed_for_a_page_that_is_turned_off(): void
    {
        $app = $this->boot(['HEADROOM_DASHBOARD' => '0']);

        self::assertStringContainsString('headroom.dashboard.enabled', $app->artisan('headroom:link', exit: 1));
    }

    #[Test]
    public function below_a_directory_of_the_web_server_all_addresses_have_its_path(): void
    {
        $this->workbench = WorkbenchApplication::boot(['APP_ENV' => 'local', 'APP_KEY' => self::KEY]);
        $request = Request::create('/shop/headroom/', server: [
            'SCRIPT_NAME' => '/shop/index.php', 'SCRIPT_FILENAME' => '/var/www/shop/index.php',
        ]);
        $document = (string) $this->workbench->send($request)->getContent();

        self::assertSame('/shop/headroom', self::attribute($document, 'base'));
        self::assertStringContainsString('src="/shop/headroom/assets/dashboard.js', $document);
    }

    #[Test]
    public function the_routes_can_be_cached_and_the_configuration_too(): void
    {
        $this->workbench = WorkbenchApplication::boot(['APP_ENV' => 'local', 'APP_KEY' => self::KEY]);
        $this->workbench->artisanProcess('route:cache');
        $this->workbench->artisanProcess('config:cache');
        $this->workbench = $this->workbench->reboot();
        $document = (string) $this->workbench->get('/headroom')->getContent();
        $this->token = self::attribute($document, 'token');

        self::assertSame(200, $this->data('now')->getStatusCode(), $this->workbench->log());
        self::assertSame(200, $this->data('buckets/logs/events')->getStatusCode());
    }

    #[Test]
    #[TestWith(['dashboard.html'])]
    #[TestWith(['charts.js'])]
    #[TestWith(['..%2Fcomposer.json'])]
    public function only_the_assets_of_the_page_are_served(string $name): void
    {
        $asset = $this->boot()->get('/headroom/assets/dashboard.js');
        self::assertSame([200, 'no-store, private'], [$asset->getStatusCode(), $asset->headers->get('Cache-Control')]);
        self::assertSame(404, $this->app()->get("/headroom/assets/{$name}")->getStatusCode());
    }

    /** @param list<string> $previous */
    private static function tokens(SteppingClock $clock, string $key, array $previous = []): AccessTokens
    {
        $encrypter = (new Encrypter($key, 'aes-256-cbc'))->previousKeys($previous);

        return new AccessTokens($encrypter, new SpoolServices(
            static fn (): AppendConfig => throw new LogicException,
            new Backends(static fn () => throw new LogicException),
            clock: $clock,
        ));
    }
}
