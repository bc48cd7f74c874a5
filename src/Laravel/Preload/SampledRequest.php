<?php

declare(strict_types=1);

namespace Headroom\Laravel\Preload;

use Headroom\Preload\Observation\Sample;
use Headroom\Preload\Observation\Samples;
use Headroom\Preload\PreloadConfig;
use Illuminate\Contracts\Foundation\Application;
use Illuminate\Http\Request;
use Illuminate\Routing\Route;
use Throwable;

/**
 * Records the classes that one request has used, after its response.
 *
 * @internal
 */
final readonly class SampledRequest
{
    /** A route parameter of such a name grants access to anyone who has the URL, and other users can read samples. */
    private const SECRET = '/token|secret|hash|signature|password|key|code/i';

    public function __construct(private Application $app) {}

    /** Never throws, because a sample must not break the application. */
    public function write(): void
    {
        try {
            // List the classes first: the sample must not contain the classes that write it.
            $sample = $this->sample();
            $config = PreloadConfig::fromArray(PreloadSettings::of($this->app), $this->app->basePath());
            (new Samples($config->samples))->add($sample);
        } catch (Throwable $e) {
            (new SampleFailureLog($e->getMessage()))->write();
        }
    }

    private function sample(): ?Sample
    {
        $request = $this->app->bound('request') ? $this->app->make('request') : null;
        $route = $request instanceof Request ? $request->route() : null;
        $route = $route instanceof Route ? $route : null;

        return Sample::ofThisProcess(
            $route?->uri(),
            $request instanceof Request ? self::page($request, $route, http_response_code()) : null,
            [self::class],
        );
    }

    /**
     * The path of a request that can be repeated: only a successful GET without secrets.
     *
     * @param int|bool $status as http_response_code() returns it
     */
    public static function page(Request $request, ?Route $route, int|bool $status): ?string
    {
        $isShown = $request->getRealMethod() === 'GET' && is_int($status) && $status >= 200 && $status < 400;

        return $isShown && ($route === null || preg_grep(self::SECRET, $route->parameterNames()) === [])
            ? $request->getPathInfo()
            : null;
    }
}
