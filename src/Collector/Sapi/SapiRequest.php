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
 * A request as PHP hands it over, under FPM, as a module of Apache, or with its own server: as near to what the client
 * sent as these let one see. What is wrong with its framing the web server has refused before.
 *
 * @internal
 */
final readonly class SapiRequest
{
    private const PIECE = 65_536;

    /**
     * @param array<array-key, mixed> $server $_SERVER
     * @param Closure(int): string $body reads so many bytes, and a few more if there are any
     * @param ?int $postMax bytes that PHP itself takes; beyond them it hands over no body. 0: any
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
     * What comes before the paths of the collector: the address of the script itself, with or without its suffix, or
     * the directory it lies in. A web server that was told to hand /v1/ over leaves nothing to take away.
     *
     * @param string $script file name of the front controller
     */
    public function request(string $script): Request|Response
    {
        $method = $this->text('REQUEST_METHOD');
        $target = $this->text('REQUEST_URI');

        // The absolute form, which some clients send and every server takes.
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

        // Some set-ups put the path itself there.
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

    /** CGI has no variable for it; each web server has a way of its own, and some have none. */
    private function authorization(): string
    {
        $found = $this->text('REDIRECT_HTTP_AUTHORIZATION');
        $user = $this->text('PHP_AUTH_USER');

        if ($found === '' && $user !== '') {
            return 'Basic '.base64_encode("{$user}:{$this->text('PHP_AUTH_PW')}");
        }

        // FPM has this function as well, with nothing in it that is not among its variables.
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
        $said = $headers['content-length'] ?? null;

        if ($said !== null && ! ctype_digit($said)) {
            return Problem::ofError(HttpError::contentLength($said));
        }

        // Before a byte of it is read.
        if ($said !== null && (strlen(ltrim($said, '0')) > 18 || (int) $said > $limit)) {
            return Problem::ofError(HttpError::bodyTooLarge($limit));
        }

        if ($said === '0' || ($said === null && ! isset($headers['transfer-encoding']))) {
            return '';
        }

        $body = ($this->body)($said === null ? $limit : (int) $said);

        if (strlen($body) > $limit) {
            return Problem::ofError(HttpError::bodyTooLarge($limit));
        }

        return $this->isWhole($body, $said, $headers) ?? $body;
    }

    /**
     * Half a body must not be taken for a whole one: the lines that came would be accepted,
     * and nobody would miss the rest.
     *
     * @param array<string, string> $headers
     */
    private function isWhole(string $body, ?string $said, array $headers): ?Response
    {
        if ($said === null) {
            return $body === ''
                ? Problem::response(
                    411,
                    'length_required',
                    'The body came in chunks, which the web server did not hand over. Send a Content-Length.',
                )
                : null;
        }

        // PHP has taken a form apart, and the intake says what it thinks of one.
        if (
            strlen($body) === (int) $said
            || str_starts_with(strtolower($headers['content-type'] ?? ''), 'multipart/form-data')
        ) {
            return null;
        }

        return Problem::response(
            400,
            'incomplete_body',
            "Content-Length is {$said}, and ".strlen($body).' bytes have come.',
        );
    }

    private function text(string $name): string
    {
        $value = $this->server[$name] ?? '';

        return is_string($value) ? $value : '';
    }

    /** In pieces: asked for all at once, PHP makes room for it before it looks. */
    private static function input(int $limit): string
    {
        $input = @fopen('php://input', 'r');
        $body = '';

        while (
            $input !== false
            && strlen($body) <= $limit
            && ($piece = @fread($input, min(self::PIECE, $limit + 1))) !== false
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
