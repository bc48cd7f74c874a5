<?php

declare(strict_types=1);

namespace Workbench\App\Http\Controllers;

use Illuminate\Contracts\View\View;
use Illuminate\Database\QueryException;
use Illuminate\Support\Facades\DB;

final class HomeController
{
    private const TABLES = [
        'page_views' => 'POST /events/sync and /events/buffered',
        'page_views_binary' => 'POST /events/buffered-binary',
    ];

    public function __invoke(): View
    {
        $tables = [];

        foreach (self::TABLES as $table => $writtenBy) {
            $tables[] = ['name' => $table, 'writtenBy' => $writtenBy, 'rows' => $this->rows($table)];
        }

        return view('home', ['tables' => $tables, 'connection' => DB::getDefaultConnection()]);
    }

    /** Null before the migrations have run: the page then says how to run them. */
    private function rows(string $table): ?int
    {
        try {
            return DB::table($table)->count();
        } catch (QueryException) {
            return null;
        }
    }
}
