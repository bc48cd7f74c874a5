<?php

declare(strict_types=1);

namespace Headroom\Preload;

use Headroom\Process\UnixUser;

/**
 * An application, and how a private PHP-FPM serves it.
 *
 * @internal
 */
final readonly class TargetApplication
{
    /**
     * @param string $root of the application, absolute
     * @param string $frontController absolute
     * @param string $url scheme, host and port of its requests, without a path
     * @param array<string, string> $env of the workers
     * @param array<string, string> $headers of each request, by name
     * @param ?UnixUser $account user of the workers if root starts them
     * @param array<string, string|int|bool> $ini settings that override php.ini
     */
    public function __construct(
        public string $root,
        public string $frontController,
        public string $url = 'http://localhost',
        public array $env = [],
        public array $headers = [],
        public ?UnixUser $account = null,
        public array $ini = [],
    ) {}

    /** A server variable, which no client can set, marks these requests so that they are not sampled. */
    public const MARK = 'HEADROOM_PRIVATE';

    /**
     * The parameters that a web server passes to PHP: RFC 3875, section 4.
     *
     * @return array<string, string>
     */
    public function parameters(Page $page): array
    {
        $host = (string) parse_url($this->url, PHP_URL_HOST);
        $isSecure = str_starts_with($this->url, 'https:');
        $port = parse_url($this->url, PHP_URL_PORT) ?? ($isSecure ? 443 : 80);
        $parameters = [
            self::MARK => '1',
            'GATEWAY_INTERFACE' => 'CGI/1.1',
            'SERVER_SOFTWARE' => 'headroom',
            'SERVER_PROTOCOL' => 'HTTP/1.1',
            'SERVER_NAME' => $host,
            'SERVER_ADDR' => '127.0.0.1',
            'SERVER_PORT' => (string) $port,
            'REMOTE_ADDR' => '127.0.0.1',
            'REMOTE_PORT' => '40000',
            'REQUEST_SCHEME' => $isSecure ? 'https' : 'http',
            'DOCUMENT_ROOT' => dirname($this->frontController),
            'SCRIPT_FILENAME' => $this->frontController,
            'SCRIPT_NAME' => '/'.basename($this->frontController),
            'REQUEST_METHOD' => $page->method,
            'REQUEST_URI' => $page->target,
            'QUERY_STRING' => (string) parse_url("http://h{$page->target}", PHP_URL_QUERY),
            'HTTP_HOST' => $host.(parse_url($this->url, PHP_URL_PORT) === null ? '' : ":{$port}"),
            'HTTP_USER_AGENT' => 'Headroom',
            'HTTP_ACCEPT' => 'text/html,application/json;q=0.9,*/*;q=0.8',
            'CONTENT_TYPE' => $page->contentType,
            'CONTENT_LENGTH' => $page->body === '' ? '' : (string) strlen($page->body),
        ];

        foreach ($this->headers as $name => $value) {
            $variable = strtoupper(strtr($name, '-', '_'));
            // RFC 3875 has no HTTP_ prefix for this one.
            $parameters[$variable === 'CONTENT_TYPE' ? $variable : "HTTP_{$variable}"] = $value;
        }

        return $isSecure ? [...$parameters, 'HTTPS' => 'on'] : $parameters;
    }
}
