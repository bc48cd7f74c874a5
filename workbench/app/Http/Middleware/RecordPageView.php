<?php

declare(strict_types=1);

namespace Workbench\App\Http\Middleware;

use Closure;
use Illuminate\Http\Request;
use Symfony\Component\HttpFoundation\Response;
use Workbench\App\Models\PageVisit;

final class RecordPageView
{
    /** Names of robots that identify themselves. You can find disguised ones in the rows. */
    private const ROBOTS = '/bot|crawl|spider|slurp|preview|monitor|curl|wget|python|headless/i';

    public function handle(Request $request, Closure $next): Response
    {
        $response = $next($request);

        if ($this->isPageView($request, $response)) {
            PageVisit::buffer([
                'route' => $request->route()->uri(),
                'path' => mb_substr($request->path(), 0, 255),
                'campaign' => $this->short($request->query('utm_campaign')),
                'referer' => $this->short(parse_url((string) $request->headers->get('referer'), PHP_URL_HOST)),
                'visitor' => $this->visitor($request),
            ]);
        }

        return $response;
    }

    /** Decided after the answer: an error or a redirect is not a page view. */
    private function isPageView(Request $request, Response $response): bool
    {
        return $request->isMethod('GET')
            && $response->getStatusCode() === 200
            && str_starts_with((string) $response->headers->get('Content-Type'), 'text/html')
            && ! $request->ajax()
            && ! $request->prefetch()
            && $request->headers->get('Sec-GPC') !== '1'
            && preg_match(self::ROBOTS, $request->userAgent() ?: 'robot') === 0;
    }

    /** The hash is the same for a day and identifies no visitor afterwards: neither address nor browser is stored. */
    private function visitor(Request $request): string
    {
        return substr(
            hash_hmac('sha256', now()->format('Y-m-d')."|{$request->ip()}|{$request->userAgent()}", config('app.key')),
            0,
            32,
        );
    }

    private function short(mixed $text): ?string
    {
        return is_string($text) && $text !== '' ? mb_substr($text, 0, 100) : null;
    }
}
