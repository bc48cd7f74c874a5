<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Nginx;

use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * Configurations out of pieces that nginx takes, and what a hand slips into them.
 */
final readonly class ConfigMaker
{
    private const HTTP = [
        'gzip on;', "sendfile\ton;", 'keepalive_timeout 1h 30m;', "add_header X-A 'a \"b\" c';",
        'map $uri $m_%d { default 0; "~\.php{1,2}$" 1; hostnames; }',
        'types { text/html html; "text/x" x; }',
        'upstream up_%d { server unix:/tmp/a.sock; server 127.0.0.1:1 weight=2 max_fails=0; keepalive 4; }',
        "log_format f_%d '\$remote_addr'\n    ' \$request_time';", 'geo $geo_%d { default 0; 10.0.0.0/8 1; }',
        "# a comment; { with 'all\"\n", 'gzip_types "text/css" text/javascript;',
        'split_clients $uri $split_%d { 50%% a; * b; }', 'include snippets/*.conf;', 'include "snippets/none*.conf";',
        'fastcgi_param A_%d $uri;', 'set_real_ip_from 10.0.0.1;',
    ];

    private const SERVER = [
        'server_name a_%d.example "~^b\d{2}$";', 'root /tmp/\ with;', 'set $s_%d "${uri}x$args{";',
        'if ($request_method = "POST") { set $p_%d 1; }', 'rewrite ^/a/(.*)$ /b/$1 last;',
        'return 200 "a\nb\"c";', "return 200 'it\\'s \$uri';", 'error_page 500 502 = /e;', 'include snippets/a.conf;',
        'add_header "X-B" "a\\\\b";', "access_log off;#comment\n",
        'location @named_%d { return 404; }', 'index index.php index.html;', "error_page\n404\n/f # why\n;",
    ];

    private const LOCATION = [
        'fastcgi_pass unix:/tmp/a.sock;', 'try_files $uri $uri/ =404;',
        'fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;', 'expires 1d;',
        'limit_except GET { deny all; }',
        'if (-f $request_filename) { break; }', 'fastcgi_buffers 8 16k;', 'alias "/tmp/a b/";', 'types { }',
        'fastcgi_param X "a)b";', 'add_header Y $upstream_response_time always;', 'set $v {;',
        "fastcgi_param\r\nZ\r\n'';\r\n",
    ];

    private const SLIPS = [
        ';', '{', '}', '"', "'", '\\', ' ', "\n", '#', '$', ')', "\r\n", "\t", '${', "}\n}", ';;', '"a"b',
    ];

    private Randomizer $random;

    public function __construct(int $seed)
    {
        $this->random = new Randomizer(new Mt19937($seed));
    }

    public function whole(): string
    {
        return "pid \"pid\";\nerror_log \"error.log\";\nevents { worker_connections 64; }\nhttp {\n{$this->temporary()}"
            .$this->lines(self::HTTP, 5).$this->repeat(2, fn (): string => $this->server())."}\n";
    }

    public function slipped(): string
    {
        $text = $this->whole();

        for ($i = $this->random->getInt(1, 2); $i > 0; $i--) {
            $at = $this->random->getInt(60, strlen($text) - 1);
            $text = match ($this->random->getInt(0, 4)) {
                0 => substr_replace($text, $this->one(self::SLIPS), $at, 0),
                1, 2 => $this->without(['{', '}', ';', '"', "'"], $text, $at),
                3 => $this->without(["\n", ' '], $text, $at),
                4 => $this->random->getInt(0, 3) === 0
                    ? substr($text, 0, $at)
                    : substr_replace($text, $this->one(self::SLIPS), $at, 1),
            };
        }

        return $text;
    }

    /** Something that nginx reads as one word, or refuses. */
    public function word(): string
    {
        $quote = $this->one(['', '', '"', "'"]);

        return $quote.'a'.$this->repeat(6, fn (): string => $this->one([
            'a', '\\\\', '\\"', "\\'", '\\t', '\\n', '\\r', '\\ ', '\\;', '\\{', '\\x', '${b}', '$b', '${{', '$', '#',
            ')', '(', '}', "\xC3\xA4", '%',
            ...($quote === '' ? ['"', "'"] : [' ', ';', '{', "\n", '"', "'"]),
        ])).$quote;
    }

    private function temporary(): string
    {
        return implode('', array_map(
            static fn (string $kind): string => "{$kind}_temp_path \"{$kind}\";\n",
            ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'],
        ));
    }

    private function server(): string
    {
        return "server {\nlisten 127.0.0.1:{$this->random->getInt(20000, 60000)};\n".$this->lines(self::SERVER, 4)
            .$this->repeat(2, fn (): string => $this->location(2))."}\n";
    }

    private function location(int $deeper): string
    {
        $path = "/{$this->random->getInt(0, 1_000_000)}";

        return $this->one([
            "location {$path} {",
            "location = {$path}\n{",
            "location ~ \"^{$path}(/.{2,4})\\.php\$\" {",
            "location ^~ '{$path}'{",
        ])."\n"
            .$this->lines(self::LOCATION, 3)
            .($deeper > 0 && $this->random->getInt(0, 2) === 0
                ? "location {$path}/x {\n".$this->lines(self::LOCATION, 2)."}\n"
                : '')
            ."}\n";
    }

    /** @param non-empty-list<string> $pieces */
    private function lines(array $pieces, int $most): string
    {
        return $this->repeat(
            $most,
            fn (): string => sprintf(
                str_contains($piece = $this->one($pieces), '_%d') ? $piece : str_replace('%', '%%', $piece),
                $this->random->getInt(0, 1_000_000),
            )
                .$this->one(["\n", "\n\n", ' ', "\r\n"]),
        );
    }

    /** @param callable(): string $make */
    private function repeat(int $most, callable $make): string
    {
        $text = '';

        for ($i = $this->random->getInt(0, $most); $i > 0; $i--) {
            $text .= $make();
        }

        return $text;
    }

    /**
     * The next of these characters left out.
     *
     * @param list<string> $characters
     */
    private function without(array $characters, string $text, int $from): string
    {
        $at = $from + strcspn($text, implode('', $characters), $from);

        return $at < strlen($text) ? substr_replace($text, '', $at, 1) : $text;
    }

    /** @param non-empty-list<string> $of */
    private function one(array $of): string
    {
        return $of[$this->random->getInt(0, count($of) - 1)];
    }
}
