<?php

declare(strict_types=1);

namespace Workbench\App\Models;

use Illuminate\Database\Eloquent\Model;

/**
 * One request of an access log whose text is kept byte for byte, UTF-8 or not.
 */
final class PageViewBinary extends Model
{
    public const UPDATED_AT = null;

    protected $table = 'page_views_binary';

    protected $guarded = [];

    /** @return array<string, string> */
    protected function casts(): array
    {
        return ['status' => 'integer', 'bytes' => 'integer'];
    }
}
