<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Profile;

/**
 * The requested page, in the form in which a web server passes it to a pool.
 *
 * @internal
 */
final readonly class LoadedPage
{
    /**
     * @param string $path with its query, as in the request line
     * @param string $authority host and port, as in the Host header
     */
    public function __construct(
        private string $path,
        private string $authority,
        private int $port,
        private bool $isTls,
    ) {}

    public function path(): string
    {
        return explode('?', $this->path, 2)[0];
    }

    /**
     * @param string $script of the application
     * @param string $sampling the script that the pool runs in its place
     * @return array<string, string>
     */
    public function params(string $script, string $sampling): array
    {
        [$path, $query] = explode('?', $this->path, 2) + [1 => ''];
        $name = self::name($script, $path);

        return [
            'GATEWAY_INTERFACE' => 'CGI/1.1',
            'SERVER_PROTOCOL' => 'HTTP/1.1',
            'SERVER_SOFTWARE' => 'headroom',
            'REQUEST_METHOD' => 'GET',
            'REQUEST_SCHEME' => $this->isTls ? 'https' : 'http',
            'REQUEST_URI' => $this->path,
            'DOCUMENT_URI' => $name,
            'DOCUMENT_ROOT' => rtrim(substr($script, 0, -strlen($name)), '/'),
            'QUERY_STRING' => $query,
            'SCRIPT_FILENAME' => $sampling,
            'SCRIPT_NAME' => $sampling,
            'HEADROOM_SCRIPT' => $script,
            'HEADROOM_NAME' => $name,
            'HTTP_HOST' => $this->authority,
            'HTTP_ACCEPT' => '*/*',
            'SERVER_NAME' => explode(':', $this->authority)[0],
            'SERVER_PORT' => (string) $this->port,
            'REMOTE_ADDR' => '127.0.0.1',
            'REMOTE_PORT' => '0',
        ] + ($this->isTls ? ['HTTPS' => 'on'] : []);
    }

    /** SCRIPT_NAME: the path if it names the script, otherwise the file name, as for a front controller. */
    private static function name(string $script, string $path): string
    {
        return str_ends_with($path, '.php') && str_ends_with($script, $path) ? $path : '/'.basename($script);
    }
}
