<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard\Access;

use Closure;
use Headroom\Laravel\Http\Dashboard\JsonResponse;
use Headroom\Report\WebPage;
use Headroom\Spool\Bucket;
use Illuminate\Auth\AuthenticationException;
use Illuminate\Http\JsonResponse as JsonResponseOfLaravel;
use Illuminate\Http\Request;
use Illuminate\Http\Response as IlluminateResponse;
use PDOException;
use Symfony\Component\HttpFoundation\Response;
use Throwable;

/**
 * The outermost middleware of the dashboard. It adds the strict policy to every response, also to that of an exception
 * in the application's middleware, and answers scripts with a problem document instead of a page.
 *
 * @internal
 */
final readonly class SecureResponse
{
    private const TITLES = [
        401 => 'This page is not signed in',
        403 => 'This user may not do that',
        419 => 'The session of this page has ended',
        503 => 'The database with the sessions does not answer',
    ];

    /** @param Closure(Request): Response $next */
    public function handle(Request $request, Closure $next, string $form = 'html'): Response
    {
        $response = $next($request);

        if ($form === 'json' && ! self::isOwn($response)) {
            $response = self::problem($request, $response);
        }

        foreach (WebPage::headers() as $name => $value) {
            $response->headers->set($name, $value);
        }

        return $response;
    }

    private static function isOwn(Response $response): bool
    {
        return $response->isSuccessful()
            || $response->headers->get('Content-Type') === JsonResponse::PROBLEM_TYPE;
    }

    private static function problem(Request $request, Response $response): Response
    {
        $exception = $response instanceof IlluminateResponse || $response instanceof JsonResponseOfLaravel
            ? $response->exception
            : null;
        $status = match (true) {
            self::isOfDatabase($exception) => 503,
            // A page that does not know a user redirects to the login, which a script cannot follow.
            $exception instanceof AuthenticationException, $response->isRedirection() => 401,
            default => $response->getStatusCode(),
        };

        return JsonResponse::problem(
            $status,
            self::TITLES[$status] ?? 'The request failed',
            match ($status) {
                503 => 'The application cannot find out which user you are. '.self::command($request),
                419 => 'Reload the page, and sign in again if the application asks for it.',
                401 => 'Reload the page and sign in.',
                403 => $exception instanceof Throwable ? $exception->getMessage() : 'A gate denies access.',
                default => "The application answered {$status}; its log has the reason.",
            },
        );
    }

    private static function isOfDatabase(mixed $exception): bool
    {
        for ($e = $exception; $e instanceof Throwable; $e = $e->getPrevious()) {
            if ($e instanceof PDOException) {
                return true;
            }
        }

        return false;
    }

    /** The command that does on the server what the page cannot do now. */
    private static function command(Request $request): string
    {
        $action = $request->route('action');
        $name = $request->json('bucket');
        $bucket = is_string($name) && Bucket::isName($name) ? $name : 'BUCKET';

        return match ($action) {
            'pause', 'resume' => "Run `php artisan spool:{$action} {$bucket}` on the server instead.",
            'retry', 'forget' => "Run `php artisan spool:{$action} --bucket={$bucket}` on the server instead.",
            'export' => "Run `php artisan spool:failed:export --bucket={$bucket}` on the server instead.",
            'doctor' => 'Run `php artisan headroom:doctor` on the server instead.',
            default => 'Run `php artisan spool:status` on the server instead.',
        };
    }
}
