<?php

declare(strict_types=1);

namespace Headroom\Collector\Sapi;

use Closure;
use Headroom\Collector\Problem;
use Headroom\Collector\Request;
use Headroom\Collector\Response;
use Headroom\Http\HttpError;
use Headroom\Http\MessageLimits;

use function apache_request_headers;
use function base64_encode;
use function basename;
use function ctype_digit;
use function dirname;
use function explode;
use function fopen;
use function fread;
use function function_exists;
use function ini_get;
use function ini_parse_quantity;
use function is_string;
use function ltrim;
use function min;
use function preg_replace;
use function rtrim;
use function str_starts_with;
use function strlen;
use function strtolower;
use function strtr;
use function substr;

/**
 * A request from the variables of PHP-FPM, Apache's module or PHP's own server, as close to the bytes of the client as
 * they allow. The web server has already rejected invalid framing.
 *
 * @internal
 */
final readonly class SapiRequest
{
    private const READ_BYTES = 65_536;

    /**
     * @param array<array-key, mixed> $server $_SERVER
     * @param Closure(int): string $body reads at least that many bytes, if the body has them
     * @param ?int $postMax PHP discards a larger body; 0: no limit
     */
    public function __construct(
        private array $server,
        private Closure $body,
        private MessageLimits $limits,
        private ?int $postMax = null,
    ) {}

    /** @param array<array-key, mixed> $server */
    public static function ofThisProcess(array $server, MessageLimits $limits): self
    {
        return self::withBody($server, self::input(...), $limits);
    }

    /**
     * @param array<array-key, mixed> $server
     * @param Closure(int): string $body
     */
    public static function withBody(array $server, Closure $body, MessageLimits $limits): self
    {
        return new self($server, $body, $limits, self::bytes((string) ini_get('post_max_size')));
    }

    /**
     * Removes the prefix of the collector's paths: the URL of the script with or without its suffix, or its directory.
     * A web server that passes /v1/ to the script adds no prefix.
     *
     * @param string $script file name of the front controller
     */
    public function request(string $script): Request|Response
    {
        $method = $this->text('REQUEST_METHOD');
        $target = $this->text('REQUEST_URI');

        // Some clients send the absolute form, which every server must accept.
        if (! str_starts_with($target, '/')) {
            $target = (string) preg_replace('~\Ahttps?://[^/?]*~i', '', $target);
        }

        [$path, $query] = explode('?', $target, 2) + [1 => ''];
        $headers = $this->headers();
        $body = $this->body($headers);

        return $body instanceof Response
            ? $body
            : new Request($method, $this->below($path, $script), $query, $headers, $body, $this->text('REMOTE_ADDR'));
    }

    private function below(string $path, string $script): string
    {
        $name = $this->text('SCRIPT_NAME');

        // Some web servers put the request path there.
        if (basename($name) !== $script) {
            return $path;
        }

        foreach ([$name, substr($name, 0, -4), rtrim(dirname($name), '/')] as $prefix) {
            if ($prefix !== '' && ($path === $prefix || str_starts_with($path, "{$prefix}/"))) {
                return $path === $prefix ? '/' : substr($path, strlen($prefix));
            }
        }

        return $path;
    }

    /** @return array<string, string> */
    private function headers(): array
    {
        $headers = [];

        foreach ($this->server as $name => $value) {
            if (is_string($name) && is_string($value) && str_starts_with($name, 'HTTP_') && $value !== '') {
                $headers[strtr(strtolower(substr($name, 5)), '_', '-')] = $value;
            }
        }

        foreach (['CONTENT_TYPE' => 'content-type', 'CONTENT_LENGTH' => 'content-length'] as $variable => $name) {
            if (($value = $this->text($variable)) !== '') {
                $headers[$name] = $value;
            }
        }

        if (! isset($headers['authorization']) && ($authorization = $this->authorization()) !== '') {
            $headers['authorization'] = $authorization;
        }

        return $headers;
    }

    /** CGI has no variable for it. Web servers differ in how they pass it, and some do not. */
    private function authorization(): string
    {
        $found = $this->text('REDIRECT_HTTP_AUTHORIZATION');
        $user = $this->text('PHP_AUTH_USER');

        if ($found === '' && $user !== '') {
            return 'Basic '.base64_encode("{$user}:{$this->text('PHP_AUTH_PW')}");
        }

        // PHP-FPM has the function too, but it returns only what is in the variables.
        if ($found === '' && PHP_SAPI !== 'fpm-fcgi' && function_exists('apache_request_headers')) {
            foreach (apache_request_headers() as $name => $value) {
                $found = strtolower((string) $name) === 'authorization' && is_string($value) ? $value : $found;
            }
        }

        return $found;
    }

    /** @param array<string, string> $headers */
    private function body(array $headers): string|Response
    {
        $limit = $this->postMax === null || $this->postMax === 0
            ? $this->limits->bodyBytes
            : min($this->limits->bodyBytes, $this->postMax);
        $contentLength = $headers['content-length'] ?? null;

        if ($contentLength !== null && ! ctype_digit($contentLength)) {
            return Problem::ofError(HttpError::contentLength($contentLength));
        }

        // Checked before any byte is read.
        if ($contentLength !== null && (strlen(ltrim($contentLength, '0')) > 18 || (int) $contentLength > $limit)) {
            return Problem::ofError(HttpError::bodyTooLarge($limit));
        }

        if ($contentLength === '0' || ($contentLength === null && ! isset($headers['transfer-encoding']))) {
            return '';
        }

        $body = ($this->body)($contentLength === null ? $limit : (int) $contentLength);

        if (strlen($body) > $limit) {
            return Problem::ofError(HttpError::bodyTooLarge($limit));
        }

        return $this->truncation($body, $contentLength, $headers) ?? $body;
    }

    /**
     * Rejects a truncated body: its first lines would be accepted, and the client would not send the rest again.
     *
     * @param array<string, string> $headers
     */
    private function truncation(string $body, ?string $contentLength, array $headers): ?Response
    {
        if ($contentLength === null) {
            return $body === ''
                ? Problem::response(
                    411,
                    'length_required',
                    'The web server did not pass on the chunked body. Send a Content-Length.',
                )
                : null;
        }

        // PHP parses a form and leaves the body empty. The pipeline rejects its media type.
        if (
            strlen($body) === (int) $contentLength
            || str_starts_with(strtolower($headers['content-type'] ?? ''), 'multipart/form-data')
        ) {
            return null;
        }

        return Problem::response(
            400,
            'incomplete_body',
            "Content-Length is {$contentLength}, and ".strlen($body).' bytes arrived.',
        );
    }

    private function text(string $name): string
    {
        $value = $this->server[$name] ?? '';

        return is_string($value) ? $value : '';
    }

    /** Reads in pieces, because PHP allocates the whole requested size before it reads. */
    private static function input(int $limit): string
    {
        $input = @fopen('php://input', 'r');
        $body = '';

        while (
            $input !== false
            && strlen($body) <= $limit
            && ($piece = @fread($input, min(self::READ_BYTES, $limit + 1))) !== false
            && $piece !== ''
        ) {
            $body .= $piece;
        }

        return $body;
    }

    private static function bytes(string $setting): ?int
    {
        return $setting === '' ? null : ini_parse_quantity($setting);
    }
}
