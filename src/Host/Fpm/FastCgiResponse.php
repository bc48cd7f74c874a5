<?php

declare(strict_types=1);

namespace Headroom\Host\Fpm;

/**
 * A pool's answer: the HTTP response that PHP wrote, and PHP's error output.
 *
 * @internal
 */
final readonly class FastCgiResponse
{
    /**
     * @param array<string, string> $headers keyed by lower-case name
     * @param string $errors FastCGI's stderr: messages of FPM and, if no error_log is set, of PHP
     */
    private function __construct(
        public int $status,
        public array $headers,
        public string $body,
        public string $errors,
    ) {}

    /** @param string $output headers, an empty line, the body: RFC 3875, section 6 */
    public static function fromOutput(string $output, string $errors): self
    {
        $parts = preg_split('/\r?\n\r?\n/', $output, 2);
        [$head, $body] = $parts !== false && count($parts) === 2 ? $parts : ['', $output];
        $headers = [];

        foreach (explode("\n", $head) as $line) {
            if (str_contains($line, ':')) {
                [$name, $value] = explode(':', $line, 2);
                $headers[strtolower(trim($name))] = trim($value);
            }
        }

        return new self((int) substr($headers['status'] ?? '200', 0, 3), $headers, $body, trim($errors));
    }

    /**
     * FPM refuses a script with fixed texts; a script that itself answers 403 or 404 does not print them.
     *
     * @throws UnableToQueryPool
     */
    public function assertScriptRan(Address $from, string $script): self
    {
        if (str_contains($this->errors, 'security.limit_extensions')) {
            throw UnableToQueryPool::extensionNotAllowed($from, $script, $this->errors);
        }

        foreach (['Primary script unknown', 'Unable to open primary script'] as $words) {
            if (str_contains($this->errors, $words)) {
                throw UnableToQueryPool::scriptNotFound($from, $script, $this->errors);
            }
        }

        return $this;
    }
}
