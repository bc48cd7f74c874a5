<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard;

use Headroom\Laravel\Http\Authorize;
use Headroom\Laravel\Http\Dashboard\Access\AccessToken;
use Headroom\Laravel\Http\Dashboard\Access\AccessTokens;
use Headroom\Report\WebPage;
use Illuminate\Contracts\Auth\Authenticatable;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Http\Request;
use Illuminate\Http\Response;

/**
 * Serves the page of the dashboard, the tokens for its requests, and its assets. Each method gets what it needs from
 * the container of the request: Octane keeps a controller for many applications.
 *
 * @internal
 */
final readonly class PageController
{
    public function page(
        Request $request,
        Repository $config,
        AccessTokens $tokens,
        Authorize $authorize,
    ): Response {
        return self::document(self::base($request), $config, [
            'token' => $tokens->sign(AccessToken::VIEW, $tokens->fresh(self::user($request))),
            'csrf' => self::csrf($request),
            'manage' => self::mayManage($request, $authorize) ? '1' : '0',
            'renew' => '1',
        ]);
    }

    public function token(Request $request, AccessTokens $tokens, Authorize $authorize): Response
    {
        return JsonResponse::of([
            'token' => $tokens->sign(AccessToken::VIEW, $tokens->fresh(self::user($request))),
            'csrf' => self::csrf($request),
            'manage' => self::mayManage($request, $authorize),
        ]);
    }

    /** The page from an address of `headroom:link`: without a user, a session and a database, to view only. */
    public function link(Request $request, Repository $config, AccessTokens $tokens): Response
    {
        $text = $request->query('token');
        $token = $tokens->verify(AccessToken::LINK, is_string($text) ? $text : '');

        return $token === null
            ? new Response(
                'This link is not valid, or not any more. Run `php artisan headroom:link` again.',
                403,
                ['Content-Type' => 'text/plain; charset=utf-8', 'Cache-Control' => 'no-store', ...WebPage::headers()],
            )
            : self::document(dirname(self::base($request)), $config, [
                // It expires with the link.
                'token' => $tokens->sign(AccessToken::VIEW, $token),
                'csrf' => '',
                'manage' => '0',
                'renew' => '0',
            ]);
    }

    public function asset(Request $request, string $name): Response
    {
        $asset = WebPage::dashboard()->asset($name, (string) $request->getQueryString());

        return $asset === null
            ? new Response('', 404, WebPage::headers())
            : new Response($asset[0], 200, $asset[1]);
    }

    /** @param array<string, string> $values */
    private static function document(string $base, Repository $config, array $values): Response
    {
        $name = $config->get('app.name');
        $environment = $config->get('app.env');
        [$document, $headers] = WebPage::dashboard()->document([
            ...$values,
            'base' => $base,
            'name' => is_string($name) ? $name : 'Laravel',
            'environment' => is_string($environment) ? $environment : '',
        ]);

        return new Response($document, 200, $headers);
    }

    /** Right also in a subdirectory of the web server and behind a trusted proxy. */
    private static function base(Request $request): string
    {
        return rtrim($request->getBaseUrl().$request->getPathInfo(), '/');
    }

    private static function csrf(Request $request): string
    {
        return $request->hasSession() ? $request->session()->token() : '';
    }

    /** Without a session, Laravel cannot check that this page has sent an action. */
    private static function mayManage(Request $request, Authorize $authorize): bool
    {
        return $request->hasSession() && $authorize->allows(Authorize::MANAGE);
    }

    private static function user(Request $request): ?string
    {
        $user = $request->user();
        $id = $user instanceof Authenticatable ? $user->getAuthIdentifier() : null;

        return is_scalar($id) ? (string) $id : null;
    }
}
